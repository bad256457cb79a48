/** A model that answers at once: the canned model server, in a process of its own, so that it never waits for ours. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import type { Reply, RuledReply } from "../test/support/model-server/reply.js";

export interface CannedServer {
  /** For the OpenAI chat package. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** A list of replies answers the steps of a turn, in order; `paced` ones take the time that they name. */
export async function startCanned(
  folder: string,
  replies: readonly RuledReply[],
  pace: "at-once" | "paced" = "at-once",
): Promise<CannedServer> {
  const script = join(folder, `replies-${++started}.json`);
  writeFileSync(script, JSON.stringify(replies));
  const child = spawn(
    process.execPath,
    [
      join(packageRoot(), "scripts", "run-ts.mjs"),
      join(packageRoot(), "test", "support", "model-server", "main.ts"),
      ...["--script", script, "--port", "0", ...(pace === "at-once" ? ["--canned"] : []), "--until-eof"],
    ],
    { stdio: ["pipe", "pipe", "inherit"], cwd: packageRoot() },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString("utf8")) as { url: string };
  return {
    baseUrl: `${url}/v1`,
    async stop() {
      const gone = once(child, "exit");
      child.stdin.end();
      await gone;
    },
  };
}

let started = 0;

/** What a model says in the benchmarks; ten events of a stream. */
export const ANSWER =
  "There are three things on the list: milk, eggs, and a loaf of bread that nobody has bought so far.";

/** The replies of a turn that reads so many files side by side and then answers. */
export function turnReplies(calls: number, text = ANSWER): readonly Reply[] {
  if (calls === 0) return [{ text }];
  const reads = Array.from({ length: calls }, (_, at) => ({ name: "read_file", arguments: { path: fileName(at) } }));
  return [{ calls: reads }, { text }];
}

export function fileName(at: number): string {
  return `notes-${at}.txt`;
}

/** The environment of a program that talks to this server, and to nothing else of the person's. */
export function modelEnvironment(server: CannedServer): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "bench", TALARIA_MODEL: "openai/gpt-4.1-mini" };
}

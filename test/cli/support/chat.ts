/** Chats through the built program: what a shell sees, with a scripted model in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { endHost, type HostFaults, hostFaults, LINGER, stopHost } from "../../support/hosts.js";
import type { RuledReply } from "../../support/model-server/reply.js";
import { removeFolder } from "../../support/remove-folder.js";
import { cleanEnv, finished, launcher, type Run } from "./run.js";

const LOOKS_MAX = 30;

export interface ChatHome {
  readonly path: string;
  /** Where tools work. */
  readonly cwd: string;
  run(args: readonly string[], more?: ChatRun): Promise<Run>;
  start(args: readonly string[], more?: ChatRun): ChildProcess;
  /** The one JSON document of a command. */
  json<T = Record<string, unknown>>(args: readonly string[], more?: ChatRun): Promise<T>;
  messages(session: string): Promise<readonly StoredMessage[]>;
  sessions(): Promise<readonly StoredSession[]>;
  /** The sessions, once they are as they should be: what a host does in the background takes a moment. */
  sessionsWhen(isSo: (sessions: readonly StoredSession[]) => boolean): Promise<readonly StoredSession[]>;
  readonly faults: HostFaults;
  /** Runs a command whose host dies at the point, and no other comes; answers the newest conversation, which is cut. */
  cut(args: readonly string[], point: string): Promise<string>;
  /** Ends the home's host, too. */
  remove(): Promise<void>;
}

export interface ChatRun {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

export interface StoredMessage {
  readonly role: string;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly superseded: boolean;
}

export interface StoredSession {
  readonly id: string;
  readonly title: string | null;
  readonly messages: number;
  readonly ended: { readonly reason: string } | null;
}

export function chatHome(env: NodeJS.ProcessEnv = {}): ChatHome {
  const path = mkdtempSync(join(tmpdir(), "talaria-chat-"));
  const [home, cwd] = [join(path, "home"), join(path, "work")];
  mkdirSync(cwd);
  const faults = hostFaults(path);
  const start: ChatHome["start"] = (args, more = {}) =>
    spawn(process.execPath, [launcher, ...args], {
      env: cleanEnv(home, { ...LINGER, ...faults.env, ...env, ...more.env }),
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
    });
  const run: ChatHome["run"] = async (args, more = {}) => {
    const child = start(args, more);
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(more.input ?? "");
    return finished(child);
  };
  const json: ChatHome["json"] = async (args, more) => JSON.parse((await run([...args, "--json"], more)).stdout);
  const sessions = async (): Promise<readonly StoredSession[]> =>
    (await json<{ sessions: StoredSession[] }>(["sessions", "list"])).sessions;
  return {
    path: home,
    cwd,
    run,
    start,
    json,
    messages: async (session) =>
      (await json<{ messages: StoredMessage[] }>(["sessions", "show", session, "--all"])).messages,
    sessions,
    async sessionsWhen(isSo) {
      for (let looks = 1; ; looks++) {
        const found = await sessions();
        if (isSo(found) || looks === LOOKS_MAX) return found;
      }
    },
    faults,
    async cut(args, point) {
      await stopHost(home);
      faults.plan(point, "dead");
      const { code, stderr } = await run(args);
      faults.plan();
      const [newest] = await sessions();
      if (code !== 1 || newest === undefined) throw new Error(`nothing was cut at ${point} (${code}): ${stderr}`);
      return newest.id;
    },
    async remove() {
      await endHost(home);
      removeFolder(path);
    },
  };
}

/** The id that a chat printed before it asked a model. */
export function conversationIn(stderr: string): string {
  const [, id] = /^conversation (\w{16})\b/m.exec(stderr) ?? [];
  if (id === undefined) throw new Error(`no conversation in ${JSON.stringify(stderr)}`);
  return id;
}

export interface ModelProcess {
  readonly env: NodeJS.ProcessEnv;
  /** Streams with `holdAfter` wait there again. */
  hold(): Promise<void>;
  /** They go on. */
  go(): Promise<void>;
  /** Resolves when one waits: the model was asked, and all that was to come before is sent. */
  held(): Promise<void>;
  stop(): Promise<void>;
}

/** Speaks OpenAI's chat dialect; titles are answered by a rule of their own unless the script has one. */
export async function modelProcess(script: readonly RuledReply[]): Promise<ModelProcess> {
  const path = await bundleTs(join(packageRoot(), "test", "support", "model-server", "main.ts"));
  const folder = mkdtempSync(join(tmpdir(), "talaria-script-"));
  const file = join(folder, "script.json");
  writeFileSync(file, JSON.stringify([{ when: { tools: false }, text: "Scripted title" }, ...script]));
  const child = spawn(process.execPath, [path, "--script", file, "--until-eof"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "sk-test-0123456789abcdef", TALARIA_MODEL: "openai/scripted" },
    hold: () => ask(`${url}/__hold`),
    go: () => ask(`${url}/__go`),
    held: () => ask(`${url}/__held`),
    async stop() {
      const closed = once(child, "close");
      child.stdin.end();
      await closed;
      removeFolder(folder);
    },
  };
}

async function ask(url: string): Promise<void> {
  await (await fetch(url)).text();
}

/** Resolves when the stream has said something that matches. */
export function heard(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stream?.on("data", (chunk: Buffer | string) => {
      text += chunk.toString();
      if (pattern.test(text)) resolve(text);
    });
    stream?.once("end", () => reject(new Error(`ended without ${pattern}: ${text}`)));
  });
}

/**
 * One life of a conversation through real processes: a home, a working directory, a model server, and the program
 * started as often as it takes. What is judged is what anybody could see: files, the transcript, what was printed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnv, finished, type Run } from "../cli/support/run.js";
import type { RuledReply } from "../support/model-server/reply.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";

const RUN_MS_MAX = 30_000;

export interface StoredMessage {
  readonly seq: number;
  readonly role: string;
  readonly text: string;
  readonly carried: boolean;
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface Card {
  readonly session: {
    readonly id: string;
    readonly tip: string;
    readonly liveTurn: unknown;
    readonly sessions: readonly {
      readonly id: string;
      readonly parent: string | null;
      readonly superseded: string | null;
    }[];
  };
  readonly messages: readonly StoredMessage[];
}

export class Life {
  readonly folder = mkdtempSync(join(tmpdir(), "talaria-crash-"));
  readonly home = join(this.folder, "home");
  readonly work = join(this.folder, "work");
  readonly #children = new Set<ChildProcess>();

  private constructor(
    readonly launcher: string,
    readonly server: ModelServer,
  ) {
    for (const path of [this.home, this.work]) mkdirSync(path);
    writeFileSync(join(this.work, "notes.txt"), "milk and eggs\n");
  }

  static async begin(launcher: string, script: readonly RuledReply[]): Promise<Life> {
    return new Life(launcher, await startModelServer({ script }));
  }

  async end(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** `fault` is a named point, with the time it is reached: `call.started:2`. */
  async run(args: readonly string[], fault?: string): Promise<Run> {
    const child = this.start(args, fault);
    child.stdin?.end();
    return finished(child);
  }

  start(args: readonly string[], fault?: string): ChildProcess {
    const env = cleanEnv(this.home, {
      OPENAI_BASE_URL: this.server.baseUrl("openai-chat"),
      OPENAI_API_KEY: "test-key",
      TALARIA_MODEL: "openai/test-model",
      TALARIA_TITLES_AUTO: "false",
      ...(fault === undefined ? {} : { TALARIA_FAULT: fault }),
      ...this.environment,
    });
    const child = spawn(process.execPath, [this.launcher, ...args], {
      env,
      cwd: this.work,
      stdio: ["pipe", "pipe", "pipe"],
      timeout: RUN_MS_MAX,
      killSignal: "SIGKILL",
    });
    child.stdin?.on("error", () => undefined);
    this.#children.add(child);
    child.once("close", () => this.#children.delete(child));
    return child;
  }

  environment: NodeJS.ProcessEnv = {};

  /** The conversation, by what the program printed before it was killed. */
  static idIn({ stderr, stdout }: Run): string {
    const id = /conversation ([0-9a-z]{16})/.exec(stderr)?.[1] ?? /"conversation":"([0-9a-z]{16})"/.exec(stdout)?.[1];
    if (id === undefined) throw new Error(`no conversation was printed:\n${stderr}\n${stdout}`);
    return id;
  }

  async card(id: string): Promise<Card> {
    const { stdout, stderr, code } = await this.run(["sessions", "show", id, "--all", "--json"]);
    if (code !== 0) throw new Error(`sessions show failed: ${stderr}`);
    return JSON.parse(stdout) as Card;
  }

  /** Lines of a file in the working directory; none when it is not there. */
  lines(name: string): readonly string[] {
    const path = join(this.work, name);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  }

  /** What the model was sent last. */
  lastRequest(): string {
    return JSON.stringify(this.server.exchanges.at(-1)?.seen ?? {});
  }
}

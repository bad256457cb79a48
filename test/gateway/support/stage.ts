/**
 * A gateway as a real process, and everything around it: a home with its settings, a model that answers, platforms on
 * loopback. It is started, killed and stopped as often as it takes; what is judged is what people see in their chats,
 * what the platform regards as taken, and the store of a process that is gone.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findHost } from "#app/host/find-host.js";
import { remoteStore } from "#app/host/remote-store.js";
import { systemClock } from "#base/clock.js";
import type { HostLine } from "#client/host-line.js";
import { homePaths } from "#config/home.js";
import type { Result } from "#protocol/methods.js";
import { Connection } from "#store/sqlite/connection.js";
import { copyStore, DATABASE } from "../../chaos/checker/check.js";
import { cleanEnv, finished, type Run } from "../../cli/support/run.js";
import type { Script } from "../../support/model-server/reply.js";
import { type ModelServer, startModelServer } from "../../support/model-server/server.js";
import { removeFolder } from "../../support/remove-folder.js";

/** Nothing that is waited for takes so long on a machine that is merely busy. */
export const WAIT_MS_MAX = 60_000;
const LOOK_MS = 25;
const SAID_CHARS_MAX = 400_000;

export type HostStatus = Result<"host.status">;

export interface StageWish {
  readonly launcher: string;
  readonly script: Script;
  /** `platforms` of the settings. */
  readonly platforms: Readonly<Record<string, unknown>>;
  /** Other settings, by their first name. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: NodeJS.ProcessEnv;
  /** Where the home is made; by default among temporary files. */
  readonly under?: string;
}

export interface StartWish {
  /** A named point at which it dies, with the time it is reached. */
  readonly fault?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class Stage {
  readonly folder: string;
  readonly home: string;
  readonly work: string;
  /** How often it died without a word. */
  deaths = 0;
  #child: ChildProcess | undefined;
  #ended: Promise<Ended> = Promise.resolve({ code: 0, signal: null });
  #said = "";
  #looks = 0;

  private constructor(
    readonly wish: StageWish,
    readonly model: ModelServer,
  ) {
    // Short: a socket's path has room for little more than a hundred bytes.
    this.folder = mkdtempSync(join(wish.under ?? tmpdir(), "tal-gw-"));
    this.home = join(this.folder, "h");
    this.work = join(this.folder, "work");
    for (const path of [this.home, this.work]) mkdirSync(path, { mode: 0o700 });
    this.configure(wish.platforms, wish.settings);
  }

  static async begin(wish: StageWish): Promise<Stage> {
    return new Stage(wish, await startModelServer({ script: wish.script }));
  }

  /** JSON is YAML. */
  configure(platforms: Readonly<Record<string, unknown>>, settings: Readonly<Record<string, unknown>> = {}): void {
    writeFileSync(join(this.home, "config.yaml"), JSON.stringify({ ...settings, platforms }), { mode: 0o600 });
  }

  async end(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
    await this.model.close();
    removeFolder(this.folder);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Everything it printed in all its lives, the newest of it. */
  get said(): string {
    return this.#said;
  }

  start({ fault, environment = {} }: StartWish = {}): void {
    if (this.#child !== undefined) throw new Error("it runs already");
    const child = spawn(process.execPath, [this.wish.launcher, "gateway", "run", "--json"], {
      env: this.env({ ...environment, ...(fault === undefined ? {} : { TALARIA_FAULT: fault }) }),
      cwd: this.work,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const hear = (text: string): void => {
      this.#said = (this.#said + text).slice(-SAID_CHARS_MAX);
    };
    child.stdout?.setEncoding("utf8").on("data", hear);
    child.stderr?.setEncoding("utf8").on("data", hear);
    this.#child = child;
    this.#ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        this.#child = undefined;
        if (signal === "SIGKILL") this.deaths++;
        resolve({ code, signal });
      });
    });
  }

  /** Started, and every platform is up. */
  async up(wish: StartWish = {}): Promise<void> {
    this.start(wish);
    await this.until("every platform is up", async () => {
      this.mustRun();
      const status = await this.status();
      return (
        status !== undefined && status.platforms.length > 0 && status.platforms.every(({ state }) => state === "up")
      );
    });
  }

  /** Fails at once where waiting would be in vain. */
  mustRun(): void {
    if (this.#child === undefined) throw new Error(`the gateway has ended:\n${this.#said.slice(-2_000)}`);
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
  }

  /** In order; answers how it ended. */
  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    this.#child?.kill(signal);
    return this.ended();
  }

  /** Rejects when it does not end in time. */
  async ended(): Promise<Ended> {
    const late = new AbortController();
    const limit = sleep(WAIT_MS_MAX, "late" as const, { signal: late.signal }).catch(() => "late" as const);
    const ended = await Promise.race([this.#ended, limit]);
    late.abort();
    if (ended === "late") throw new Error(`the gateway does not end:\n${this.#said.slice(-2_000)}`);
    return ended;
  }

  /** Another command on the same home. */
  async run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Run> {
    const child = spawn(process.execPath, [this.wish.launcher, ...args], {
      env: this.env(environment),
      cwd: this.work,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: WAIT_MS_MAX,
      killSignal: "SIGKILL",
    });
    return finished(child);
  }

  env(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return cleanEnv(this.home, {
      // Where conversations from chats work.
      HOME: this.work,
      TALARIA_BACKUP_SCHEDULE: "off",
      // So many deaths within minutes are the test's own doing: the breaker has tests of its own.
      TALARIA_HOST_CRASHES_MAX: "0",
      TALARIA_SUPERVISED: "1",
      OPENAI_BASE_URL: this.model.baseUrl("openai-chat"),
      OPENAI_API_KEY: "test-key",
      TALARIA_MODEL: "openai/test-model",
      TALARIA_TITLES_AUTO: "false",
      ...this.wish.environment,
      ...more,
    });
  }

  /** What it says of itself; undefined while it does not answer. */
  async status(): Promise<HostStatus | undefined> {
    return this.ask((line) => line.call("host.status", {}));
  }

  async ask<T>(question: (line: HostLine) => Promise<T>): Promise<T | undefined> {
    if (this.#child === undefined) return undefined;
    const found = await findHost({ home: homePaths(this.home), clock: systemClock, version: "test" });
    if (found.kind !== "answers") return undefined;
    const { line } = found.greeted;
    try {
      return await question(line);
    } catch (error) {
      if (this.#child === undefined || (error as { code?: string }).code === "host-gone") return undefined;
      throw error;
    } finally {
      line.close();
    }
  }

  /** Nothing is left to do: no input waits, no turn is open, nothing is owed. Dies never on the way. */
  async converge(limitMs = WAIT_MS_MAX): Promise<void> {
    await this.until(
      "nothing is left to do",
      async () => {
        this.mustRun();
        return (await this.left()) === "";
      },
      limitMs,
    );
  }

  /** Turns that a death cut before, and that this life has not finished yet; undefined while nobody answers. */
  async cutTurns(): Promise<number | undefined> {
    return this.ask(async (line) => {
      const { epoch = 0 } = await line.call("host.status", {});
      const open = await remoteStore(line).openTurns({ limit: 1_000 });
      // One that nobody has taken over yet still has its old epoch, and its attempt is not counted.
      return open.filter((turn) => turn.attempts > 1 || turn.epoch < epoch).length;
    });
  }

  /** What is left to do, in words; empty when it is nothing. */
  async left(): Promise<string> {
    const found = await this.ask(async (line) => {
      const status = await line.call("host.status", {});
      const unclaimed = await remoteStore(line).unclaimed({ limit: 100 });
      const { working, waiting, deliveries_owed: owed = 0 } = status;
      const counts = { working, waiting, owed, unclaimed: unclaimed.length };
      return Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${count} ${name}`)
        .join(", ");
    });
    return found ?? "the gateway does not answer";
  }

  /** Looks until it holds; what a test waits for happens, or the test says what did not. */
  async until(what: string, holds: () => Promise<boolean> | boolean, limitMs = WAIT_MS_MAX): Promise<void> {
    const giveUpMs = performance.now() + limitMs;
    for (;;) {
      if (await holds()) return;
      if (performance.now() > giveUpMs) {
        const left = await this.left();
        throw new Error(
          `it never came to this: ${what} (${left})\n${this.log().slice(-3_000)}\n${this.#said.slice(-1_000)}`,
        );
      }
      await sleep(LOOK_MS);
    }
  }

  log(): string {
    try {
      return readFileSync(homePaths(this.home).logFile, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    }
  }

  /** The store as the last process left it, in a copy: the next one finds its own. */
  look(): Connection {
    if (this.#child !== undefined) throw new Error("a store is looked at when nobody writes to it");
    const copy = join(this.folder, `look-${++this.#looks}`);
    copyStore(this.home, copy);
    return new Connection({ path: join(copy, DATABASE) });
  }
}

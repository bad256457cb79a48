/**
 * One life of a conversation through real processes: a home with its host, a working directory, a model server, and
 * commands run as often as it takes. What is judged is what anybody could see: files, the transcript, what was printed.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "#store/sqlite/connection.js";
import { copyStore, DATABASE } from "../chaos/checker/check.js";
import { cleanEnv, finished, type Run } from "../cli/support/run.js";
import { endHost, type HostFaults, hostFaults, hostPid, killHost, LINGER, stopHost } from "../support/hosts.js";
import type { Script } from "../support/model-server/reply.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { removeFolder } from "../support/remove-folder.js";

const RUN_MS_MAX = 120_000;
const LOOK_MS = 40;
const APPEAR_MS_MAX = 45_000;
/** Less than the commands of tests take by themselves. */
const OUTLIVE_MS_MAX = 20_000;
const GONE_MS_MAX = 400;
const PRINTED_ID = /conversation(?: |":")([0-9a-z]{16})\b/;

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
    readonly title: string | null;
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
  readonly faults: HostFaults;
  readonly #children = new Set<ChildProcess>();
  #looks = 0;

  private constructor(
    readonly launcher: string,
    readonly server: ModelServer,
  ) {
    for (const path of [this.home, this.work]) mkdirSync(path);
    this.faults = hostFaults(this.folder);
    writeFileSync(join(this.work, "notes.txt"), "milk and eggs\n");
  }

  static async begin(launcher: string, script: Script): Promise<Life> {
    return new Life(launcher, await startModelServer({ script }));
  }

  async end(): Promise<void> {
    await this.leave();
    removeFolder(this.folder);
  }

  /** Ends what runs and leaves the folder to be looked at. */
  async leave(): Promise<void> {
    this.killAll();
    await endHost(this.home);
    await this.server.close();
  }

  killAll(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    killHost(this.home);
  }

  /**
   * `fault` is a named point, with the time it is reached: `call.started:2`. The host dies there, and no other comes
   * before the command has given up; the run then counts as killed. `input` is what stdin says.
   */
  async run(args: readonly string[], fault?: string, input = ""): Promise<Run> {
    if (fault !== undefined) {
      await stopHost(this.home);
      this.faults.plan(fault, "dead");
    }
    const child = this.start(args);
    child.stdin?.end(input);
    const run = await finished(child);
    if (fault === undefined) return run;
    const isKilled = await this.#hostIsGone();
    this.faults.plan();
    return isKilled ? { ...run, code: null, signal: "SIGKILL", stderr: await this.#named(run) } : run;
  }

  async #hostIsGone(): Promise<boolean> {
    for (let waited = 0; waited < GONE_MS_MAX; waited += LOOK_MS) {
      if (hostPid(this.home) === undefined) return true;
      await sleep(LOOK_MS);
    }
    return false;
  }

  /** A host that died before it answered has told nobody what it had stored: a person finds it in the list. */
  async #named({ stderr, stdout }: Run): Promise<string> {
    if (PRINTED_ID.test(`${stderr}\n${stdout}`)) return stderr;
    const listed = await this.run(["sessions", "list", "--json"]);
    const [newest] = (JSON.parse(listed.stdout) as { sessions: readonly { id: string }[] }).sessions;
    return newest === undefined ? stderr : `${stderr}\nconversation ${newest.id}`;
  }

  /** `env` is for this command alone. */
  start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
    const env = cleanEnv(this.home, { ...this.surroundings, ...more });
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

  /** Ends the host of this life. */
  signalHost(signal: NodeJS.Signals): void {
    const pid = hostPid(this.home);
    if (pid === undefined) throw new Error("no host runs");
    process.kill(pid, signal);
  }

  environment: NodeJS.ProcessEnv = {};

  /** What every process of this life is told beside its home. */
  get surroundings(): NodeJS.ProcessEnv {
    return {
      ...LINGER,
      ...this.faults.env,
      // So many deaths within minutes are this life's own doing: the breaker has tests of its own.
      TALARIA_HOST_CRASHES_MAX: "0",
      OPENAI_BASE_URL: this.server.baseUrl("openai-chat"),
      OPENAI_API_KEY: "test-key",
      TALARIA_MODEL: "openai/test-model",
      TALARIA_TITLES_AUTO: "false",
      ...this.environment,
    };
  }

  /** The conversation, by what the program printed before it was killed. */
  static idIn({ stderr, stdout }: Run): string {
    return Life.idOf(`${stderr}\n${stdout}`);
  }

  static idOf(printed: string): string {
    const id = PRINTED_ID.exec(printed)?.[1];
    if (id === undefined) throw new Error(`no conversation was printed:\n${printed}`);
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

  /** Puts a file into the working directory. */
  write(name: string, text: string): void {
    writeFileSync(join(this.work, name), text);
  }

  /** Resolves when the file has a line. */
  async appears(name: string): Promise<void> {
    for (let looks = 0; this.lines(name).length === 0; looks++) {
      if (looks > APPEAR_MS_MAX / LOOK_MS) throw new Error(`${name} never appeared`);
      await sleep(LOOK_MS);
    }
  }

  /** Whether the command is still there after the time that its watchdog may take; its group is ended then. */
  async outlives(pid: number): Promise<boolean> {
    for (let looks = 0; looks <= OUTLIVE_MS_MAX / LOOK_MS; looks++) {
      if (!isAlive(pid)) return false;
      await sleep(LOOK_MS);
    }
    process.kill(-groupOf(pid), "SIGKILL");
    return true;
  }

  /** What was streamed and is stored of the turn that runs, looked at beside its host. */
  liveDraft(): string {
    const db = new Connection({ path: join(this.home, DATABASE), isReadOnly: true });
    try {
      return draftIn(db);
    } finally {
      db.release();
    }
  }

  /** What was streamed and is stored of a turn that was cut; looked at in a copy, so that the next start finds its own. */
  draft(): string {
    const copy = join(this.folder, `look-${++this.#looks}`);
    copyStore(this.home, copy);
    return draftIn(new Connection({ path: join(copy, DATABASE) }));
  }

  /** What the model was sent last. */
  lastRequest(): string {
    return JSON.stringify(this.server.exchanges.at(-1)?.seen ?? {});
  }
}

function draftIn(db: Connection): string {
  return String(db.scalar("SELECT draft FROM turn WHERE state <> 'settled'") ?? "");
}

/** A zombie has ended: only its parent has not looked yet. */
function isAlive(pid: number): boolean {
  const state = processState(pid)?.[0];
  return state !== undefined && !state.startsWith("Z");
}

function groupOf(pid: number): number {
  return Number(processState(pid)?.[2] ?? pid);
}

/** What the system says of a process behind its name: state, parent, group. Undefined when there is none. */
function processState(pid: number): readonly string[] | undefined {
  const { status, stdout } = spawnSync("ps", ["-o", "stat=,ppid=,pgid=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 ? stdout.trim().split(/\s+/) : undefined;
}

/**
 * Every process that tools have started and that may still run: who owns it (a turn, or a conversation), what it
 * printed, how it ended. Bounded in number; a conversation sees its own only. Lives and dies with the host.
 *
 * - [TC-20] What a foreground command leaves behind ends with its turn.
 * - [TC-21] A background process belongs to its conversation, is listed there alone, and ends with the host.
 * - [TC-22] No command outlives its host, however that ends.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId, NewId, TurnId } from "#base/ids.js";
import { type Ending, type Group, type GroupRequest, startGroup } from "./group.js";
import type { Output } from "./output.js";
import { findShell } from "./shell.js";
import { createWatchdog } from "./watchdog.js";

/** Running at once, foreground and background together. */
export const PROCESSES_MAX = 64;
export const BACKGROUND_PER_CONVERSATION_MAX = 16;
/** The newest of what was written to a process, kept to judge what comes next together with it. */
export const FED_CHARS_MAX = 50_000;
/** Ended ones that can still be asked about, per conversation. */
export const ENDED_PER_CONVERSATION_MAX = 16;
const NAME_CHARS = 8;

export interface ProcessRequest extends Omit<GroupRequest, "shell"> {
  readonly conversation: ConversationId;
  readonly turn: TurnId;
}

export interface BackgroundProcess {
  readonly id: string;
  readonly conversation: ConversationId;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number | undefined;
  readonly startedAtMs: number;
  readonly output: Output;
  readonly group: Group;
  /** Resolves when its state is `ended`. */
  readonly settled: Promise<void>;
  state(): ProcessState;
  /** What it was given to read so far, at most the newest FED_CHARS_MAX characters. */
  fed(): string;
  /** False when nobody can read it any more. */
  feed(text: string): Promise<boolean>;
}

export type ProcessState =
  | { readonly phase: "running" }
  | { readonly phase: "ended"; readonly ending: Ending; readonly atMs: number; readonly wasKilled: boolean };

export type Started<T> =
  | { readonly kind: "started"; readonly process: T }
  | { readonly kind: "too-many"; readonly why: string };

export interface Processes {
  /** Owned by the turn: ended with it at the latest. */
  foreground(request: ProcessRequest): Started<Group>;
  /** Owned by the conversation. */
  background(request: ProcessRequest): Started<BackgroundProcess>;
  list(conversation: ConversationId): readonly BackgroundProcess[];
  find(conversation: ConversationId, id: string): BackgroundProcess | undefined;
  /** Whoever's it is: to judge what would be written to it, before it is known who asks. */
  any(id: string): BackgroundProcess | undefined;
  /** Ends one and remembers that it did not end by itself. */
  kill(process: BackgroundProcess): Promise<void>;
  /** Every background process that runs, whoever's: what keeps a host from going. */
  running(): readonly BackgroundProcess[];
  /** Whether a background process of this conversation runs: its route is then neither expired nor pruned. */
  hasLive(conversation: ConversationId): boolean;
  /** Ends what the turn's foreground commands left behind. */
  endTurn(turn: TurnId): Promise<void>;
  /** Ends everything; nothing can be started afterwards. */
  endAll(): Promise<void>;
}

export interface ProcessesParts {
  readonly clock: Clock;
  readonly newId: NewId;
  /** Chosen by what the machine has unless told. */
  readonly shell?: string;
}

interface Background extends BackgroundProcess {
  settled: Promise<void>;
  phase: ProcessState;
  isKilled: boolean;
}

export function createProcesses(parts: ProcessesParts): Processes {
  return new OwnedProcesses(parts);
}

class OwnedProcesses implements Processes {
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #shell: string;
  readonly #watchdog = createWatchdog();
  readonly #turns = new Map<TurnId, Set<Group>>();
  readonly #backgrounds = new Map<string, Background>();
  #isClosed = false;

  constructor({ clock, newId, shell = findShell() }: ProcessesParts) {
    this.#clock = clock;
    this.#newId = newId;
    this.#shell = shell;
  }

  foreground(request: ProcessRequest): Started<Group> {
    const why = this.#refusal();
    if (why !== undefined) return { kind: "too-many", why };
    const group = this.#start(request);
    this.#turns.set(request.turn, (this.#turns.get(request.turn) ?? new Set()).add(group));
    void this.#forget(request.turn, group);
    return { kind: "started", process: group };
  }

  background(request: ProcessRequest): Started<BackgroundProcess> {
    const why = this.#refusal() ?? this.#backgroundRefusal(request.conversation);
    if (why !== undefined) return { kind: "too-many", why };
    const group = this.#start(request);
    let fed = "";
    const process: Background = {
      id: this.#newId<string>().slice(0, NAME_CHARS),
      conversation: request.conversation,
      command: request.command,
      cwd: request.cwd,
      pid: group.pid,
      startedAtMs: this.#clock.nowMs(),
      output: request.output,
      group,
      settled: Promise.resolve(),
      phase: { phase: "running" },
      isKilled: false,
      state: () => process.phase,
      fed: () => fed,
      // Remembered before it is written: half of it may arrive.
      feed: (text) => {
        fed = (fed + text).slice(-FED_CHARS_MAX);
        return group.write(text);
      },
    };
    this.#backgrounds.set(process.id, process);
    process.settled = this.#settle(process);
    return { kind: "started", process };
  }

  list(conversation: ConversationId): readonly Background[] {
    return [...this.#backgrounds.values()].filter((process) => process.conversation === conversation);
  }

  find(conversation: ConversationId, id: string): BackgroundProcess | undefined {
    return this.list(conversation).find((process) => process.id === id);
  }

  any(id: string): BackgroundProcess | undefined {
    return this.#backgrounds.get(id);
  }

  async kill(process: BackgroundProcess): Promise<void> {
    const known = this.#backgrounds.get(process.id);
    if (known?.phase.phase === "running") known.isKilled = true;
    await process.group.end();
    await process.settled;
  }

  running(): readonly BackgroundProcess[] {
    return [...this.#backgrounds.values()].filter(isRunning);
  }

  hasLive(conversation: ConversationId): boolean {
    return this.list(conversation).some(isRunning);
  }

  async endTurn(turn: TurnId): Promise<void> {
    const owned = [...(this.#turns.get(turn) ?? [])];
    await Promise.all(owned.map((group) => group.end()));
    this.#turns.delete(turn);
  }

  async endAll(): Promise<void> {
    this.#isClosed = true;
    const groups = [...this.#foregrounds(), ...[...this.#backgrounds.values()].map((process) => process.group)];
    await Promise.all(groups.map((group) => group.end()));
    this.#turns.clear();
    this.#watchdog.close();
  }

  #start(request: ProcessRequest): Group {
    return startGroup({ ...request, shell: this.#shell }, { clock: this.#clock, watchdog: this.#watchdog });
  }

  #foregrounds(): readonly Group[] {
    return [...this.#turns.values()].flatMap((groups) => [...groups]);
  }

  #refusal(): string | undefined {
    if (this.#isClosed) return "Talaria is shutting down";
    const running = this.#foregrounds().length + [...this.#backgrounds.values()].filter(isRunning).length;
    return running >= PROCESSES_MAX ? `${PROCESSES_MAX} processes run already; end some first` : undefined;
  }

  #backgroundRefusal(conversation: ConversationId): string | undefined {
    const running = this.list(conversation).filter(isRunning).length;
    if (running < BACKGROUND_PER_CONVERSATION_MAX) return undefined;
    return `${BACKGROUND_PER_CONVERSATION_MAX} background processes run already; end some first`;
  }

  /** What is left behind stays known until its turn ends. */
  async #forget(turn: TurnId, group: Group): Promise<void> {
    await group.ended;
    if (await group.isAlive()) return;
    const owned = this.#turns.get(turn);
    owned?.delete(group);
    if (owned?.size === 0) this.#turns.delete(turn);
  }

  async #settle(process: Background): Promise<void> {
    const ending = await process.group.ended;
    // Its shell has ended: what it left behind has no owner that could ask about it.
    await process.group.end();
    process.phase = { phase: "ended", ending, atMs: this.#clock.nowMs(), wasKilled: process.isKilled };
    const ended = this.list(process.conversation).filter((one) => !isRunning(one));
    for (const old of ended.slice(0, -ENDED_PER_CONVERSATION_MAX)) this.#backgrounds.delete(old.id);
  }
}

function isRunning(process: Background): boolean {
  return process.phase.phase === "running";
}

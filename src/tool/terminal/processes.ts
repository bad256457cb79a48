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
  /** Ends one and remembers that it did not end by itself. */
  kill(process: BackgroundProcess): Promise<void>;
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

export function createProcesses({ clock, newId, shell = findShell() }: ProcessesParts): Processes {
  const watchdog = createWatchdog();
  const turns = new Map<TurnId, Set<Group>>();
  const backgrounds = new Map<string, Background>();
  let isClosed = false;

  const of = (conversation: ConversationId): Background[] =>
    [...backgrounds.values()].filter((process) => process.conversation === conversation);
  const running = (conversation: ConversationId): number =>
    of(conversation).filter((process) => process.phase.phase === "running").length;

  function refusal(): string | undefined {
    if (isClosed) return "Talaria is shutting down";
    const groups = [...turns.values()].flatMap((set) => [...set]);
    const alive = groups.length + [...backgrounds.values()].filter((one) => one.phase.phase === "running").length;
    return alive >= PROCESSES_MAX ? `${PROCESSES_MAX} processes run already; end some first` : undefined;
  }

  function foreground(request: ProcessRequest): Started<Group> {
    const why = refusal();
    if (why !== undefined) return { kind: "too-many", why };
    const group = startGroup({ ...request, shell }, { clock, watchdog });
    const owned = turns.get(request.turn) ?? new Set();
    turns.set(request.turn, owned.add(group));
    void forget(request.turn, group);
    return { kind: "started", process: group };
  }

  /** What is left behind stays known until its turn ends. */
  async function forget(turn: TurnId, group: Group): Promise<void> {
    await group.ended;
    if (await group.isAlive()) return;
    const owned = turns.get(turn);
    owned?.delete(group);
    if (owned?.size === 0) turns.delete(turn);
  }

  function background(request: ProcessRequest): Started<BackgroundProcess> {
    const why = refusal();
    if (why !== undefined) return { kind: "too-many", why };
    if (running(request.conversation) >= BACKGROUND_PER_CONVERSATION_MAX) {
      return { kind: "too-many", why: `${BACKGROUND_PER_CONVERSATION_MAX} background processes run already` };
    }
    const group = startGroup({ ...request, shell }, { clock, watchdog });
    const process: Background = {
      id: newId<string>().slice(0, NAME_CHARS),
      conversation: request.conversation,
      command: request.command,
      cwd: request.cwd,
      pid: group.pid,
      startedAtMs: clock.nowMs(),
      output: request.output,
      group,
      settled: Promise.resolve(),
      phase: { phase: "running" },
      isKilled: false,
      state: () => process.phase,
    };
    backgrounds.set(process.id, process);
    process.settled = settle(process);
    return { kind: "started", process };
  }

  async function settle(process: Background): Promise<void> {
    const ending = await process.group.ended;
    // Its shell has ended: what it left behind has no owner that could ask about it.
    await process.group.end();
    process.phase = { phase: "ended", ending, atMs: clock.nowMs(), wasKilled: process.isKilled };
    const ended = of(process.conversation).filter((one) => one.phase.phase === "ended");
    for (const old of ended.slice(0, -ENDED_PER_CONVERSATION_MAX)) backgrounds.delete(old.id);
  }

  return {
    foreground,
    background,
    list: of,
    find: (conversation, id) => of(conversation).find((process) => process.id === id),
    async kill(process) {
      const known = backgrounds.get(process.id);
      if (known?.phase.phase === "running") known.isKilled = true;
      await process.group.end();
      await process.settled;
    },
    hasLive: (conversation) => running(conversation) > 0,
    async endTurn(turn) {
      const owned = [...(turns.get(turn) ?? [])];
      await Promise.all(owned.map((group) => group.end()));
      turns.delete(turn);
    },
    async endAll() {
      isClosed = true;
      const groups = [...turns.values()].flatMap((set) => [...set]);
      const all = [...groups, ...[...backgrounds.values()].map((process) => process.group)];
      await Promise.all(all.map((group) => group.end()));
      turns.clear();
      watchdog.close();
    },
  };
}

/**
 * What the server asks of the host it runs in: who it is, how it is, to end, and to do a command's writing for it.
 * The composition root implements it; the server knows no process.
 */
import type { VerbName } from "#session/store.js";

export interface HostControl {
  readonly identity: HostIdentity;
  /** From memory and a few counters: answers whatever the turns do. */
  status(): Promise<HostStatus>;
  /** Answers at once and begins afterwards; asked again it changes nothing. */
  stop(wish: StopWish): StopAnswer;
  /**
   * A verb of the store on behalf of a command of this home's owner, so that `talaria sessions rename` works while the
   * host has the home. Only for lines that are as good as the person: the socket and stdio. Others who watch are told.
   */
  maintain(verb: VerbName, args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export interface HostIdentity {
  readonly pid: number;
  readonly version: string;
  readonly home: string;
  readonly epoch: number;
  readonly startedMs: number;
}

export interface HostStatus extends HostIdentity {
  readonly state: "serving" | "safe-mode" | "stopping";
  /** In safe mode: how many crashes led to it, and when they are forgotten. */
  readonly safeMode: { readonly crashes: number; readonly untilMs: number } | null;
  readonly connections: number;
  readonly working: number;
  readonly waiting: number;
  /** Background commands of conversations. */
  readonly processes: number;
  readonly owed: { readonly hooks: number; readonly deliveries: number; readonly jobs: number };
  readonly memoryBytes: number;
  readonly lingerMs: number;
  readonly logPath: string;
}

export interface StopWish {
  /** For the log, in a word: `stop`, `restart`, `maintenance`. */
  readonly reason: string;
  /** Only when no turn works and no background command runs. */
  readonly isIfIdle?: boolean;
  /** How long running turns get; as the settings say unless told. */
  readonly drainMs?: number;
  /** Conversations go on in the next host: their openings stay as they are. */
  readonly keepsOpenings?: boolean;
}

export type StopAnswer =
  | { readonly kind: "stopping"; readonly working: number; readonly waiting: number; readonly drainMs: number }
  | { readonly kind: "busy"; readonly working: number; readonly processes: number };

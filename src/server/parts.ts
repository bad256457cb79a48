/** What the server is built from. The composition root makes these; the server knows no file and no settings. */
import type { Clock } from "#base/clock.js";
import type { ConversationId, NewId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { SlashContext } from "#command/command.js";
import type { SlashPorts } from "#command/ports.js";
import type { Params, Result } from "#protocol/methods.js";
import type { Live } from "#runtime/live/port.js";
import type { SessionStore } from "#session/store.js";

export interface ServerParts {
  readonly store: SessionStore;
  readonly live: Live;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly host: HostFacts;
  readonly control: HostControl;
  readonly settings: SettingsPort;
  readonly models: ModelsPort;
  /** What slash commands need beyond the store and the live side. */
  readonly commands: Omit<SlashPorts, "live" | "compact">;
  readonly machine: MachinePort;
  /** Tells hooks what is not stored: that a person used a command. */
  announce(name: "command:*", payload: Readonly<Record<string, unknown>>): void;
}

export interface HostFacts {
  readonly version: string;
  readonly pid: number;
  readonly home: string;
  readonly epoch: number;
  readonly startedMs: number;
  /** Where a conversation works that names no directory. */
  readonly cwd: string;
}

export interface HostControl {
  status(connections: number): Promise<Result<"host.status">>;
  /** `begin` is called when the answer is on its way. */
  stop(wish: Params<"host.stop">): Promise<{ readonly answer: Result<"host.stop">; begin(): void }>;
  /** For a client that is as good as the person at the machine. */
  maintain(verb: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** No new work is taken any more. */
  isStopping(): boolean;
  /** Names of the variables that this host has otherwise than whoever made these marks. */
  otherVariables(marks: Readonly<Record<string, string>>): readonly string[];
  /** What a person should know when they come, one sentence each. */
  notes(): readonly string[];
}

export interface SettingsPort {
  /** The settings as a tree, secrets taken out. */
  all(): Promise<Readonly<Record<string, unknown>>>;
  /** When the file last changed, in seconds; 0 without a file. Must not change by itself. */
  changedAt(): Promise<number>;
}

export interface ModelsPort {
  /** The model a new conversation would use. */
  current(): SlashContext["model"];
  /** False: only the demo model is there. */
  isConfigured(): boolean;
  providers(): Promise<readonly ProviderRow[]>;
  /** What a person should know about the choice of models, one sentence each. */
  notes?(): readonly string[];
  /** Why a message can never be answered by the current model, being longer than its window; undefined when it can. */
  refusalOf(text: string): string | undefined;
}

export interface ProviderRow {
  readonly slug: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly isCurrent: boolean;
  readonly hasKey: boolean;
  readonly keyVariable?: string;
}

/** What a client asks of this machine beside its conversations. */
export interface MachinePort {
  /** A command line of the person's own; the floor refuses what would ruin the machine. */
  shell(command: string, cwd: string, signal: AbortSignal): Promise<ShellAnswer>;
  /** Keeps a long paste in a file and answers its path. */
  keepPaste(text: string): Promise<string>;
  /** A file a person dropped or named: its absolute path, or undefined. */
  findFile(words: string, cwd: string): Promise<FoundFile | undefined>;
  /** Ends every background process and answers how many there were. */
  stopProcesses(): Promise<number>;
  isDirectory(path: string): Promise<boolean>;
}

export type ShellAnswer =
  | { readonly kind: "ran"; readonly stdout: string; readonly stderr: string; readonly code: number }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "timed-out" };

export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly isImage: boolean;
  /** What of the words was not the path. */
  readonly rest: string;
}

/** How a conversation is called where it has no row yet. */
export interface Blank {
  readonly id: ConversationId;
  readonly cwd: string;
  readonly source: string;
  readonly title: string | undefined;
  readonly model: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  /** What the client left for it: its first message makes it that one's successor [BH-2]. */
  readonly resetFrom: ConversationId | undefined;
}

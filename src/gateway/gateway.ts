/**
 * The gateway port: accounts on platforms, what they hear made into inputs and commands, and what is owed sent by them.
 * Everything that must survive is a row: an input before it is acknowledged, a command until it is answered, a
 * delivery until it has a receipt. What this holds in memory (lines, previews, pace) may be lost at any moment.
 */
import type { Clock } from "#base/clock.js";
import type { HostId, NewId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { ApprovalRule, SlashContext } from "#command/command.js";
import type { SlashPorts } from "#command/ports.js";
import type { HttpAnswer, HttpRequest, PlatformKind } from "#platform/platform.js";
import type { Live } from "#runtime/live/port.js";
import type { Address } from "#session/address.js";
import type { InputMode } from "#session/input.js";
import type { ResetPolicy } from "#session/reset-policy.js";
import type { SessionKeyRules } from "#session/session-key.js";
import type { SessionStore } from "#session/store.js";

/** One account of ours on a platform, as the configuration has it. */
export interface Account {
  readonly kind: PlatformKind;
  /** `main` unless there are several. */
  readonly name: string;
  /** As its kind's schema parsed them. */
  readonly settings: unknown;
  /** Ids (or globs, on platforms whose ids are masks) of people who may speak; `*` is everybody. */
  readonly allow: readonly string[];
  /** Of these, the ones that are the owner of this home. */
  readonly owners: readonly string[];
  /** Strangers in a direct chat are offered a pairing code. */
  readonly pairing: boolean;
  readonly busy: InputMode;
  /** In chats with several people only what is said to us counts. */
  readonly needsMention: boolean;
  /** Shows the answer as it grows, where the platform can. */
  readonly streams: boolean;
  /** The chat that notices and `/handoff` go to when nothing else is named. */
  readonly homeChat?: string;
  /** Different for single chats, by their id. */
  readonly chats: Readonly<Record<string, { readonly busy?: InputMode; readonly needsMention?: boolean }>>;
  resetPolicy(chatType: string): ResetPolicy;
}

export interface GatewayParts {
  readonly store: SessionStore;
  /** Behind the host's gate: refuses when no work may be taken. */
  readonly live: Live;
  readonly host: HostId;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly accounts: readonly Account[];
  readonly keyRules: SessionKeyRules;
  /** Who may allow something dangerous that a turn asks for. */
  readonly approvals: ApprovalRule;
  /** Where a conversation from a chat works. */
  readonly cwd: string;
  readonly version: string;
  model(): SlashContext["model"];
  readonly commands: Omit<SlashPorts, "live" | "compact">;
  readonly attachments: AttachmentShelf;
  /** Whether a file that a reply names may be sent; asked when it is. */
  mayLeave(path: string): Promise<FileVerdict>;
  /** Asks `pre_gateway_dispatch` hooks; what it says is done instead of handing the message on. */
  beforeDispatch(facts: DispatchFacts): Promise<Dispatch>;
  /** Tells hooks what is not stored. */
  announce(name: "command:*", payload: Readonly<Record<string, unknown>>): void;
  /** Ends this host and starts another that tells the chat; absent where nothing would start one. */
  restart?(): Promise<void>;
  /** Why the next host could not start; undefined when nothing is known against it. */
  restartObstacle?(): string | undefined;
}

export type FileVerdict =
  /** Where it really is: this is what is sent. */
  { readonly kind: "may-leave"; readonly path: string } | { readonly kind: "stays"; readonly why: string };

export interface DispatchFacts {
  readonly platform: string;
  readonly address: Address;
  readonly text: string;
  readonly sessionKey: string;
}

export type Dispatch =
  | { readonly kind: "allow" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "rewrite"; readonly text: string };

/** Where received files are kept: by their hash, written and synced before a row names them. */
export interface AttachmentShelf {
  keep(
    file: { readonly name: string; readonly mediaType: string; readonly bytesMax: number },
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly sha256: string; readonly path: string; readonly bytes: number }>;
}

export type AccountState =
  | { readonly kind: "starting" }
  | { readonly kind: "up"; readonly sinceMs: number }
  /** Tried again by itself. */
  | { readonly kind: "down"; readonly why: string; readonly sinceMs: number; readonly retryMs: number | null }
  /** A person has to change something. */
  | { readonly kind: "refused"; readonly why: string; readonly hint: string | null };

export interface AccountStanding {
  readonly platform: string;
  readonly account: string;
  readonly state: AccountState;
  /** Since this host began. */
  readonly received: number;
  readonly sent: number;
  /** Messages that were given up on, however often each was tried. */
  readonly failed: number;
  readonly lastReceivedMs: number | null;
  readonly lastSentMs: number | null;
}

export interface Gateway {
  /** Opens every account; one that cannot be opened is tried again and holds up no other. */
  start(): void;
  standing(): readonly AccountStanding[];
  /** Something may be owed: the outbox looks. */
  poke(): void;
  /** A request to `/platforms/<platform>/…` of our HTTP door; 503 as soon as `stop` lets go. */
  http(platform: string, request: HttpRequest): Promise<HttpAnswer>;
  /** What is heard from here on is stored and left to the next host, and its sender is told so. */
  drain(): void;
  /** Sends what is due for up to `limitMs`, then lets go of every line. */
  stop(limitMs: number): Promise<void>;
}

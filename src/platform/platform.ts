/**
 * The platform port: what the gateway asks of a messaging system and what it gives to it. An adapter translates and
 * paces; it never looks up a session, stores nothing of its own and decides nothing about who may speak.
 *
 * Two promises carry the contract. What arrives is handed to `Receiver.message` and acknowledged upstream only after
 * that resolved [CT-1]. What is sent ends in one of four outcomes, told by how far the bytes came [CT-4]: retries that
 * a library makes by itself would hide which, so they are off.
 */
import type { z } from "zod";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";

/** `dm` is private by nature; everything else may have several people in it. */
export type ChatType = "dm" | "group" | "channel" | "thread";

export interface Chat {
  readonly type: ChatType;
  readonly id: string;
  readonly name?: string;
  readonly threadId?: string;
}

export interface Sender {
  /** Stable for life: an account's id, never a name that can be changed or taken over. */
  readonly id: string;
  /** An identity that outlives a change of `id`, where the platform has one. */
  readonly altId?: string;
  readonly name?: string;
}

export interface Incoming {
  /** The platform's own name of this event, the same at every redelivery and for no other event [CT-2]. */
  readonly eventId: string;
  readonly chat: Chat;
  readonly sender: Sender;
  /** Plain text or Markdown, without the mention of ourselves. */
  readonly text: string;
  /** Said to us: a direct chat, a mention, an answer to one of our messages, a command. */
  readonly isAddressed: boolean;
  /** The message's name for `react` and for replies, where it has one. */
  readonly messageId?: string;
  /** What it answers, in words, where the platform shows that. */
  readonly quoted?: string;
  readonly media?: readonly IncomingMedia[];
  /** How far this account has read here; stored with the message, so that a gap is found after a death. */
  readonly cursor?: Cursor;
}

/** Something received that is not text; fetched by whoever wants it, within limits. */
export interface IncomingMedia {
  readonly name: string;
  readonly mediaType: string;
  /** As the platform says, where it does. */
  readonly bytes?: number;
  fetch(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface Cursor {
  /** Of what: a channel. */
  readonly name: string;
  readonly value: string;
}

/** A button was pressed. */
export interface Press {
  /** What the button was sent with. */
  readonly token: string;
  readonly chat: Chat;
  readonly sender: Sender;
}

export interface Receiver {
  /**
   * Resolves when it is on stable storage, or when it was knowingly left: acknowledge then. Rejects when it could not
   * be kept: leave it with the platform, which gives it again.
   */
  message(incoming: Incoming): Promise<void>;
  /** Answers what to show to whoever pressed it, in a few words. */
  press(press: Press): Promise<string>;
  /** Messages come in from now on. */
  up(): void;
  /** The line is lost and the adapter works on it; `up` follows. */
  down(why: string): void;
}

/** Where something is sent. */
export interface Place {
  readonly chat: Chat;
  /** Whom it is for, where a chat has several people. */
  readonly userId?: string;
}

export interface Button {
  readonly label: string;
  /** At most BUTTON_TOKEN_MAX bytes. */
  readonly token: string;
  readonly look?: "good" | "bad" | "plain";
}

export const BUTTON_TOKEN_MAX = 64;

export interface Outgoing {
  /** The same at every attempt: the idempotency key where the platform takes one. */
  readonly id: string;
  readonly place: Place;
  /** Markdown, within the platform's limit; the adapter says it in the platform's own way. */
  readonly text: string;
  readonly buttons?: readonly Button[];
  /** A file of this machine that goes along. */
  readonly media?: OutgoingMedia;
}

export interface OutgoingMedia {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
}

export type SendOutcome =
  | { readonly kind: "sent"; readonly receipt: string }
  /** Certainly nothing was taken: again after this time. `platform`: everything to it waits as long. */
  | { readonly kind: "retry"; readonly afterMs: number; readonly why: string; readonly scope?: "chat" | "platform" }
  /** It never will be: the chat is gone, we are blocked, the text is refused. */
  | { readonly kind: "refused"; readonly why: string }
  /** Bytes left and no answer came: it may have arrived. */
  | { readonly kind: "unknown"; readonly why: string };

/** What came of looking for an earlier send; `unsure` when the platform cannot say. */
export type FoundSent =
  | { readonly kind: "found"; readonly receipt: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unsure" };

export interface MenuEntry {
  /** Without a slash. */
  readonly name: string;
  readonly about: string;
}

/** One account on a platform, at work. */
export interface Platform {
  /**
   * Connects and receives until the signal is aborted, then lets go and resolves. Rejects when the line is lost and the
   * adapter does not mend it by itself; whoever runs it tries again later. A PlatformRefusal says that trying is no use.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Never rejects: what is thrown inside is an outcome. The signal is a time limit. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome>;
  /** Puts this text in place of a message of ours; `refused` when that is gone. Doing it twice does no harm. */
  edit?(place: Place, receipt: string, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome>;
  /** Whether an earlier attempt arrived, for one whose outcome is unknown. */
  findSent?(outgoing: Outgoing, sinceMs: number, signal: AbortSignal): Promise<FoundSent>;
  /** Shows for a few seconds that we are at work. Failures are nobody's concern. */
  typing?(place: Place, signal: AbortSignal): Promise<void>;
  react?(place: Place, messageId: string, emoji: string, signal: AbortSignal): Promise<void>;
  /** The commands people can pick there. */
  setMenu?(entries: readonly MenuEntry[], signal: AbortSignal): Promise<void>;
  /** A request that came in by our own HTTP door, for platforms that call us. */
  http?(request: HttpRequest): Promise<HttpAnswer>;
}

export interface HttpRequest {
  readonly method: string;
  /** Behind the platform's own prefix, with a slash in front. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Raw: signatures are over bytes. */
  readonly body: Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Limits of a platform, as data. */
export interface Limits {
  /** Of one message, in `unit`s, after formatting. */
  readonly text: number;
  readonly unit: "utf16" | "bytes";
  /** Between two messages to one chat, so that the platform does not complain. */
  readonly chatEveryMs: number;
  /** The same where several people are, if the platform has less patience there. */
  readonly groupEveryMs?: number;
  /** Messages a second to the platform as a whole. */
  readonly perSecond: number;
  /** Between two edits of one message; 0 where there is no editing. */
  readonly editEveryMs: number;
  /** Files in and out, in bytes; 0 where there are none. */
  readonly mediaIn: number;
  readonly mediaOut: number;
  /** Several lines in one message. */
  readonly hasLines: boolean;
}

/** What the adapter gets to work with. */
export interface PlatformParts {
  /** Which of our accounts this is; `main` unless the configuration names several. */
  readonly account: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly receiver: Receiver;
  /** The cursors stored with earlier messages, by name; at most the newest thousand. */
  cursors(): Promise<ReadonlyMap<string, string>>;
}

/** A kind of platform: what the configuration may say, and how an account is opened. The library is loaded by `open`. */
export interface PlatformKind<Settings = unknown> {
  /** As in the configuration, in session keys and in `talaria send --to NAME:chat`. */
  readonly name: string;
  readonly title: string;
  /** Its own keys; those that all platforms have (`allow`, `busy`, …) are taken off before. */
  readonly settings: z.ZodType<Settings>;
  /** Keys whose values are never shown. */
  readonly secrets: readonly string[];
  readonly limits: Limits;
  /** A send with the id of an earlier one is taken for the same: what may have arrived is sent again without a mark. */
  readonly isIdempotent?: boolean;
  /** With these settings it calls us: it cannot start while no HTTP door is open. Its `http` takes the calls. */
  callsUs?(settings: Settings): boolean;
  open(settings: Settings, parts: PlatformParts): Promise<Platform>;
}

/** The platform turns us away for good until a person changes something: a wrong token, a second consumer. */
export class PlatformRefusal extends Error {
  override readonly name = "PlatformRefusal";
  constructor(
    message: string,
    /** What the person can do. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

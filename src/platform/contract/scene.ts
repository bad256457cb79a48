/**
 * What the contract suite of platforms needs to know about the other side: a real server, or one that speaks the
 * platform's wire protocol on loopback. Every adapter brings one; the suite in `platform.contract.ts` drives it.
 */
import type { PlatformKind } from "../platform.js";

export interface Peer {
  /** Resolves when the other side takes part, where it has to come to us after we are up. */
  ready?(): Promise<void>;
  /**
   * Somebody writes; resolves when the other side has taken it, not when we have. The text is what a person types: the
   * peer escapes it, cuts it to its own limit and drops what its wire cannot carry, as the platform does. May reject
   * where the platform refuses such a text (empty, huge).
   */
  say(words: PeerWords): Promise<void>;
  /** Gives again what was given before, as the platform does when it saw no acknowledgement; undefined where it never does. */
  redeliver?(): Promise<void>;
  /** How many of the events it gave us it regards as acknowledged; undefined where there is no such thing. */
  acknowledged?(): Promise<number>;
  /**
   * What people see in a chat, in order, as edited last. Markup the platform takes by itself (Discord's Markdown) stays
   * as it was written; entities and tags of a wire format are resolved.
   */
  shown(chat: PeerChat): Promise<readonly Shown[]>;
  /** Somebody presses a button of a message of ours; answers what they are shown. */
  press?(chat: PeerChat, label: string): Promise<string>;
  /** How the next `times` sends of ours fare (default 1). */
  fail(fault: PeerFault, times?: number): void;
  /** Cuts the line on which we receive. Both sides go on living. */
  cutLine?(): Promise<void>;
  stop(): Promise<void>;
}

export type PeerChat = "dm" | "group" | "thread";

export interface PeerWords {
  readonly text: string;
  /** Default `dm`. */
  readonly chat?: PeerChat;
  /** Which of its people; default `alice`. `bob` is another one. */
  readonly who?: "alice" | "bob";
  /** In a group: names us. */
  readonly isMention?: boolean;
  readonly media?: { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array };
}

export interface Shown {
  readonly text: string;
  readonly buttons?: readonly string[];
  readonly media?: { readonly name: string; readonly bytes: number };
}

export type PeerFault =
  /** Nothing is taken; come back later. */
  | { readonly kind: "rate-limited"; readonly afterMs: number }
  /** An error of the server, nothing is taken. */
  | { readonly kind: "server-error" }
  /** The line is cut before anything of the request is read. */
  | { readonly kind: "cut-before" }
  /** The request is taken, the line is cut before the answer. */
  | { readonly kind: "cut-after" }
  /** The request is taken, and the answer comes never. */
  | { readonly kind: "silent" }
  /** The answer comes byte by byte, slower than anybody waits. */
  | { readonly kind: "slow" }
  /** The chat is gone, or we are blocked there. */
  | { readonly kind: "gone" }
  /** The markup is refused; plain text would be taken. */
  | { readonly kind: "markup-refused" };

export interface PlatformScene {
  readonly kind: PlatformKind;
  /** Settings, as parsed by the kind's schema, that lead to the peer. */
  readonly settings: unknown;
  readonly peer: Peer;
  /** The kinds of chat the platform has. */
  readonly chats: readonly PeerChat[];
  /** Where `send` reaches a chat of the peer. */
  place(chat: PeerChat): import("../platform.js").Place;
  /** Faults it cannot have, each with the reason. */
  readonly lacks: Readonly<Partial<Record<PeerFault["kind"], string>>>;
  /** `Outgoing.id` keeps a second attempt from showing twice, so that a lost answer may be a `retry`. Default false. */
  readonly isIdempotent?: boolean;
  /** Why what is said while our line is cut never reaches us; undefined where the platform keeps it. */
  readonly losesMeanwhile?: string;
  /** Removes what the scene made outside the peer (files, children); called after `peer.stop`. */
  close?(): Promise<void>;
}

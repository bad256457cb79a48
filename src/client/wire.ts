/**
 * A client's end of the line to a host: whole frames in both directions, whatever carries them. What a frame means is
 * the caller's business.
 */
import type { Outgoing } from "#protocol/frame.js";

export interface ClientWire {
  /** Set once; nothing is read before. */
  listen(listener: ClientWireListener): void;
  /** After the end it does nothing. */
  send(frame: string): void;
  /** Bytes that were handed over and that the host has not taken yet. */
  backlogBytes(): number;
  /** While held, nothing more is read: for a caller whose own reader is slow. */
  hold(isHeld: boolean): void;
  /** Ends the line after what was sent. */
  close(): void;
}

export interface ClientWireListener {
  frame(text: string): void;
  /** The backlog is gone. */
  drained?(): void;
  /** Nothing comes after it; called once. */
  gone(why: LineEnd): void;
}

/** Why a line ended, as far as this side knows. */
export type LineEnd =
  /** This side closed it. */
  | { readonly kind: "closed" }
  /** The host said why: `too-slow`, `shutting-down`, … */
  | { readonly kind: "told"; readonly reason: string; readonly message: string }
  /** The host died, or the line broke. */
  | { readonly kind: "lost"; readonly message: string };

/** A longer frame ends the line before it is held whole: no host sends one. */
export const HOST_FRAME_CHARS_MAX = 64_000_000;
export const CONNECT_TIME_MS = 2_000;
/** How long a closed line may take to carry what was sent. */
export const CLOSE_TIME_MS = 1_000;

/** The last frame of a host that ends the line. */
export const CLOSING_EVENT = "connection.closing";

export function closingReason(frame: Outgoing): LineEnd | undefined {
  if (frame.kind !== "event" || frame.type !== CLOSING_EVENT) return undefined;
  const { reason, message } = frame.payload ?? {};
  return { kind: "told", reason: String(reason ?? "closed"), message: String(message ?? "the host ended the line") };
}

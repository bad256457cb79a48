/**
 * A line to one client, whatever carries it: a Unix socket, a WebSocket, a pair of pipes. Frames are whole JSON texts.
 * A wire knows sizes and ends; what a frame means is the server's business.
 *
 * Nothing a client does makes a wire grow without end. A frame is refused before it is held whole, half a frame does
 * not stand for ever, a client that leaves its answers unread is not read either, and one that leaves too much unread
 * loses its line [WI-1] to [WI-4].
 */

export interface Wire {
  /** For logs and presence: `socket`, `websocket`, `stdio`. */
  readonly kind: "socket" | "websocket" | "stdio";
  /** Set once, before anything is handed on; frames that came earlier are kept for it. */
  listen(listener: WireListener): void;
  /** Hands over one frame. Never blocks and never throws; after the end it does nothing. */
  send(frame: string): void;
  /** Bytes that were handed over and that the other side has not taken yet. */
  backlogBytes(): number;
  /** While held, no further frame is handed on and nothing more is read: for a server that has enough to do. */
  hold(isHeld: boolean): void;
  /** Ends the line; the other side is told why, if it still reads. */
  end(reason: WireEnd): void;
}

export interface WireListener {
  frame(text: string): void;
  /** Nothing comes after it. Called once, whoever ended the line, and never from inside `send` or `end`. */
  gone(why: WireEnd | "left"): void;
}

export type WireEnd =
  /** It read too slowly; it may come back and ask for what it missed. */
  | "too-slow"
  /** A frame was longer than FRAME_CHARS_MAX, or half a frame stood for longer than FRAME_TIME_MS. */
  | "bad-frame"
  /** As many lines are open as may be. */
  | "too-many"
  | "shutting-down"
  | "done";

/** A larger frame ends the line before it is held in memory whole. */
export const FRAME_CHARS_MAX = 4_000_000;
/** Half a frame may stand this long. */
export const FRAME_TIME_MS = 30_000;
/**
 * A client that leaves this much unread, besides the largest frame among it, is dropped with the reason `too-slow`;
 * nothing of its conversation is lost.
 */
export const BACKLOG_BYTES_MAX = 4_000_000;
/** A client that leaves this much unread is not read either, until it has caught up. */
export const BACKLOG_BYTES_SOFT = 1_000_000;
/** How long an ended line may carry nothing of what is left to say. */
export const LAST_WORDS_MS = 2_000;
/** A home's clients are a person's terminals, pages and editors. */
export const CONNECTIONS_MAX = 256;

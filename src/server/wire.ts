/**
 * A line to one client, whatever carries it: a Unix socket, a WebSocket, a pair of pipes. Frames are whole JSON texts.
 * A wire knows sizes and ends; what a frame means is the server's business.
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
  /** Ends the line; the reason is told where the transport has a place for it. */
  end(reason: WireEnd): void;
}

export interface WireListener {
  frame(text: string): void;
  /** Nothing comes after it. Called once, whoever ended the line. */
  gone(): void;
}

export type WireEnd =
  /** It read too slowly; it may come back and ask for what it missed. */
  | "too-slow"
  /** A frame was longer than FRAME_CHARS_MAX, or half a frame stood for longer than FRAME_TIME_MS. */
  | "bad-frame"
  | "shutting-down"
  | "done";

/** A larger frame ends the line before it is held in memory whole. */
export const FRAME_CHARS_MAX = 4_000_000;
/** Half a frame may stand this long. */
export const FRAME_TIME_MS = 30_000;
/** A client that leaves this much unread is dropped with the reason `too-slow`; nothing of its conversation is lost. */
export const BACKLOG_BYTES_MAX = 4_000_000;

/** The parts all dialects share: one event of a stream, and a reply with everything decided that it left open. */
import type { Reasoning, ReplyFinish, ReplyUsage } from "../reply.js";

export interface Frame {
  /** The name on the `event:` line; most dialects have none. */
  readonly event?: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly data: unknown;
  /** A line that means nothing, sent before the event. */
  readonly comment?: string;
  /** Which call of the answer it belongs to. */
  readonly call?: number;
  readonly role?: "fragment" | "usage" | "end-marker";
}

/** A reply ready to be encoded. */
export interface Saying {
  readonly id: string;
  readonly model: string;
  readonly isOpenRouter: boolean;
  readonly text: string;
  readonly reasoning: Required<Omit<Reasoning, "redacted">> & Pick<Reasoning, "redacted">;
  readonly refusal: string;
  readonly calls: readonly SaidCall[];
  readonly finish: ReplyFinish;
  readonly usage: ReplyUsage | null;
  readonly pieceChars: number;
  /** Id and name come with every fragment of a call, as some servers send them. */
  readonly repeatsNames: boolean;
}

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** How one dialect writes answers and errors. */
export interface Wire {
  frames(saying: Saying): Frame[];
  errorFrame(message: string, type: string): Frame;
  errorBody(status: number, message: string, type: string): unknown;
}

/** A fixed date: the same reply is the same bytes. */
export const CREATED_S = 1_767_225_600;

/** The text in pieces; no pair of surrogates is torn apart. */
export function pieces(text: string, chars: number): string[] {
  const found: string[] = [];
  let from = 0;
  while (from < text.length) {
    let to = Math.min(text.length, from + Math.max(1, chars));
    if (isPair(text, to)) to++;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

export function render(frames: readonly Frame[]): string {
  return frames.map(renderFrame).join("");
}

export function renderFrame({ event, data, comment }: Frame): string {
  const line = typeof data === "string" ? data : JSON.stringify(data);
  return `${comment === undefined ? "" : `: ${comment}\n\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${line}\n\n`;
}

function isPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

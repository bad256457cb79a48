/** What `talaria chat` was asked for, checked before anything is opened. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "#base/errors.js";
import { APPROVAL_REPLY_CHARS_MAX } from "#session/approval.js";
import { EXIT } from "../exit-codes.js";

export interface ChatOptions {
  readonly query?: string;
  readonly continue?: string | true;
  readonly resume?: string;
  readonly title?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly yolo?: boolean;
  readonly approve?: "once" | "session" | "always";
  readonly deny?: boolean;
  readonly reply?: string;
  readonly messageId?: string;
  readonly retry?: boolean;
  readonly streamJson?: boolean;
}

export const MESSAGE_ID_CHARS_MAX = 200;

/** Whether the command runs once and ends, instead of reading lines. */
export function isOneRun(options: ChatOptions, { isTerminal, json }: { isTerminal: boolean; json: boolean }): boolean {
  const { query, resume, streamJson } = options;
  if (query !== undefined || hasAnswer(options) || options.retry === true) return true;
  return (isExisting(options) && (json || streamJson === true)) || (resume !== undefined && !isTerminal);
}

export function hasAnswer({ approve, deny, reply }: ChatOptions): boolean {
  return approve !== undefined || deny === true || reply !== undefined;
}

export function isExisting({ resume, continue: continued }: ChatOptions): boolean {
  return resume !== undefined || continued !== undefined;
}

/** Combinations that mean nothing are refused with the one that would. */
export function checkOptions(options: ChatOptions, json: boolean): void {
  const { query, resume, title, approve, deny, reply, messageId, streamJson } = options;
  const refuse = (message: string, hint: string): never => {
    throw new UserError(message, hint, EXIT.usage);
  };
  if (resume !== undefined && options.continue !== undefined)
    refuse("-r and -c name two conversations", "use one of them");
  if (title !== undefined && isExisting(options)) {
    refuse("--title is for a new conversation", "talaria sessions rename gives one a new title");
  }
  if (approve !== undefined && deny === true) refuse("--approve and --deny are two answers", "use one of them");
  if (approve !== undefined && reply !== undefined) refuse("--approve takes no --reply", "use one of them");
  if (hasAnswer(options) && !isExisting(options)) {
    refuse("an answer needs its conversation", "talaria approvals shows what waits, and where");
  }
  if (options.retry === true && !isExisting(options)) refuse("--retry needs its conversation", "add -r ID, or -c");
  if (options.retry === true && (query !== undefined || hasAnswer(options))) {
    refuse("--retry asks the last message again and says nothing else", "leave the other option out");
  }
  if ((reply?.length ?? 0) > APPROVAL_REPLY_CHARS_MAX) {
    refuse(`a reply has at most ${APPROVAL_REPLY_CHARS_MAX} characters`, "nothing was answered");
  }
  if (messageId !== undefined && query === undefined) refuse("--message-id is for the message of -q", "add -q TEXT");
  if (messageId !== undefined && (messageId === "" || messageId.length > MESSAGE_ID_CHARS_MAX)) {
    refuse(`a message id has 1 to ${MESSAGE_ID_CHARS_MAX} characters`, "nothing was sent");
  }
  if (streamJson === true && json) refuse("--json and --stream-json are two outputs", "use one of them");
  if ((json || streamJson === true) && query === undefined && !isExisting(options)) {
    refuse("JSON is for one message, not for a chat of lines", "add -q TEXT, or -r ID to finish what was cut");
  }
}

/** The folder that tools work in, absolute. */
export function workingDirectory({ cwd }: ChatOptions): string {
  const path = resolve(cwd ?? ".");
  if (cwd === undefined) return path;
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return path;
  throw new UserError(`${path} is not a folder`, "--cwd takes the folder that tools work in", EXIT.usage);
}

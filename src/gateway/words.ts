/**
 * What the gateway itself says in chats, and how the agent's words become messages there: cut where the platform's
 * limit asks for it, files named in the text sent along. Pure but for where an owner is; the parts commit with the turn
 * that said them, and with the question that they put [CT-3].
 */
import { basename, extname, isAbsolute } from "node:path";
import type { ApprovalId } from "#base/ids.js";
import { oneLine } from "#command/text.js";
import type { Limits } from "#platform/platform.js";
import { splitText } from "#platform/split.js";
import type { ChatWords } from "#runtime/parts.js";
import { type Address, MAIN_ACCOUNT, spellAccount } from "#session/address.js";
import type { DeliveryBody, OwedPart } from "#session/delivery.js";
import type { ResetReason } from "#session/reset-policy.js";
import type { OwedReply } from "#session/verbs/turns.js";
import type { OwnerReach } from "./access/owner-chat.js";

/** Room for the mark of a second copy, and for what formatting adds. */
const ROOM = 80;
/** Room for the name of a question, where it has to be named. */
const NAMING_ROOM = 70;
const NAME_CELLS_MAX = 24;
/** A platform that is no longer configured still gets parts that any platform takes. */
const COMMON: Limits = {
  text: 2_000,
  unit: "utf16",
  chatEveryMs: 1_000,
  perSecond: 10,
  editEveryMs: 0,
  mediaIn: 0,
  mediaOut: 0,
  hasLines: true,
};
/** Files that one reply may carry; more are named only. */
const FILES_MAX = 10;
const FENCE = /^\s*(?:```|~~~)/;
const FILE_LINE = /^\s*MEDIA:\s*(.+?)\s*$/;

const PERMISSION_ANSWERS = ["once", "session", "always", "deny"] as const;

export const SECOND_COPY = "(sent again: the first copy may not have arrived)";
export const INTERRUPTED_MARK = "(interrupted)";

export interface ChatWordsParts {
  limitsOf(platform: string): Limits | undefined;
  /** Where owners alone give leave: how one of them comes to see a question from there. Absent: whose turn asks may give it. */
  readonly owner?: (asked: Address) => Promise<OwnerReach>;
}

export function chatWords({ limitsOf, owner }: ChatWordsParts): ChatWords {
  const limits = (address: Address): Limits => limitsOf(address.platform) ?? COMMON;
  const put = (address: Address, text: string, body: DeliveryBody = {}): OwedReply => {
    const { text: max, ...rest } = limits(address);
    const parts = messageParts(text, { ...rest, text: max - (body.isFromElsewhere === undefined ? 0 : NAMING_ROOM) });
    const last = parts.length - 1;
    return {
      platform: address.platform,
      address,
      parts: parts.map((part, at) => (at === last ? { ...part, body } : part)),
    };
  };
  return {
    reply: (address, text) => replyParts(text, limits(address)),
    async question(address, question) {
      if (question.kind !== "permission") return { asking: put(address, clarifyText(question), { answers: [] }) };
      const text = permissionText(question);
      const reach = await owner?.(address);
      // Buttons stand where somebody can press them.
      const answers = reach === undefined || reach.kind === "there" ? PERMISSION_ANSWERS : [];
      const asking = put(address, `${text}\n\n${ALLOWED_BY[reach?.kind ?? "author"]}`, { answers });
      if (reach?.kind !== "elsewhere") return { asking };
      const told = `${askerOf(address)} needs your leave. ${text}`;
      return { asking, telling: put(reach.address, told, { answers: PERMISSION_ANSWERS, isFromElsewhere: true }) };
    },
  };
}

/** The text in messages, then one for every file it names. */
export function replyParts(text: string, limits: Limits): readonly OwedPart[] {
  if (limits.mediaOut === 0) return messageParts(text, limits);
  const files: string[] = [];
  let isCode = false;
  const lines = text.split("\n").filter((line) => {
    if (FENCE.test(line)) isCode = !isCode;
    const path = isCode ? undefined : FILE_LINE.exec(line)?.[1];
    if (path === undefined || !isAbsolute(path) || files.length >= FILES_MAX) return true;
    files.push(path);
    return false;
  });
  const words = files.length === 0 ? text : lines.join("\n").trim();
  const said = words === "" ? [] : messageParts(words, limits);
  return [...said, ...files.map((path) => ({ text: basename(path), body: { media: mediaOf(path) } }))];
}

export function messageParts(text: string, limits: Limits): readonly OwedPart[] {
  const { text: max, unit, hasLines } = limits;
  const parts = splitText(text, { max: max - ROOM, unit, hasLines });
  return (parts.length === 0 ? [text] : parts).map((part) => ({ text: part }));
}

export function mediaOf(path: string): NonNullable<DeliveryBody["media"]> {
  return {
    path,
    name: basename(path),
    mediaType: MEDIA_TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
  };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".json": "application/json",
  ".zip": "application/zip",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".opus": "audio/ogg",
  ".wav": "audio/wav",
  ".mp4": "video/mp4",
};

const ALLOWED_BY: Readonly<Record<OwnerReach["kind"] | "author", string>> = {
  author: "Answer `yes`, `session`, `always` or `no` (or /approve, /deny).",
  there: "An owner answers `yes`, `session`, `always` or `no` (or /approve, /deny).",
  elsewhere: "Waiting for an owner, who is asked in a chat of their own. /stop ends the turn.",
  nowhere: "Waiting for an owner; none has a chat with me here, so they see it with `talaria approvals` in a terminal.",
};
const CHOOSE = "Answer with a number or in your own words.";

/** The last words of a question that waits; they go when it is decided. */
export const HOW_TO_ANSWER: readonly string[] = [...Object.values(ALLOWED_BY), CHOOSE];

/** For who answers in words where the question does not come from. */
export function naming(approval: ApprovalId): string {
  return `Answer: /approve ${approval} or /deny ${approval}`;
}

function permissionText({ tool, summary, why }: { tool: string; summary: string; why: string }): string {
  return `May I run this? **${tool}**\n\`\`\`\n${summary}\n\`\`\`\n${why}`;
}

function askerOf(address: Address): string {
  const { platform, account = MAIN_ACCOUNT, userName, userId = "" } = address;
  return `${plainName(userName ?? userId)} (${spellAccount({ platform, account })})`;
}

/** People choose their names: none is markup here. */
export function plainName(name: string, cells = NAME_CELLS_MAX): string {
  return oneLine(name.replace(/[*_~`[\]()<>|\\#]/g, ""), cells) || "somebody";
}

function clarifyText({ text, choices }: { text: string; choices: readonly string[] }): string {
  const list = choices.map((choice, at) => `${at + 1}. ${choice}`).join("\n");
  return list === "" ? text : `${text}\n\n${list}\n\n${CHOOSE}`;
}

/** [GW-20] A reset is never silent: what happened, and the way back. */
export const RESET_NOTICES: Readonly<Record<ResetReason, string>> = {
  idle: "New session: nobody wrote here for a while. The one before is kept; /resume goes back to it.",
  daily: "New session: the day's reset was due. The one before is kept; /resume goes back to it.",
};

export const RECEIPTS = {
  queue: (waiting: number): string =>
    waiting > 1
      ? `Queued: ${waiting} messages wait for the turn that runs. /stop ends it.`
      : "Queued: it is next, after the turn that runs. /stop ends that.",
  waiting: "I wait for an answer to my question; this message is next.",
  steer: (): string => "Noted: it goes into the turn that runs.",
  interrupt: (): string => "Stopping what I was doing; this is next.",
  draining: "I am stopping for now. Your message is stored and will be answered when I am back.",
  full: "Too many of your commands wait for their answers; this one was left. Send it again when some are answered.",
  tooLong: "That message is too long for me; nothing of it was kept. Send it as a file or in parts.",
} as const;

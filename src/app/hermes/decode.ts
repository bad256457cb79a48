/**
 * One message of the source as one of ours [IM-4]. Whatever has no place of its own goes into the body, so that
 * nothing is lost; what could not be understood is kept as it was and named in `oddities`.
 */
import type { MessageBody, RequestedCall, Role } from "#session/message.js";
import type { ImportedMessage } from "#session/verbs/care.js";
import { type SourceText, toMs, toNumber, toText } from "./columns.js";
import { isRecord, jsonOrText, readJson } from "./json-text.js";
import type { OddKind } from "./report.js";
import type { MessageRow } from "./source.js";

export interface Decoded {
  readonly message: ImportedMessage;
  readonly oddities: readonly OddKind[];
  /** Put aside by an in-place compaction: an original, not a part of the live context. */
  readonly isArchived: boolean;
}

export function decodeMessage(row: MessageRow, fallbackMs: number): Decoded {
  const oddities: OddKind[] = [];
  const atMs = toMs(row.timestamp);
  if (atMs === null) oddities.push("bad-time");
  const { role, sourceRole } = roleOf(toText(row.role) ?? "", oddities);
  const { text, content } = contentOf(toText(row.content) ?? "", oddities);
  const isActive = toNumber(row.active) !== 0;
  const isArchived = !isActive && toNumber(row.compacted) === 1;
  const body: MessageBody = {
    sourceNo: row.id,
    ...sourceRole,
    ...content,
    ...callsOf(toText(row.tool_calls), oddities),
    ...present("toolCallId", toText(row.tool_call_id)),
    ...present("toolName", toText(row.tool_name)),
    ...thoughtsOf(row),
    ...present("finishReason", toText(row.finish_reason)),
    ...present("tokenCount", toNumber(row.token_count)),
    ...present("platformMessageId", toText(row.platform_message_id)),
    ...(toNumber(row.observed) === 1 && { observed: true }),
  };
  return {
    message: {
      role,
      text: withoutNul(text, oddities),
      body,
      atMs: atMs ?? fallbackMs,
      sourceNo: row.id,
      ...(!isActive && !isArchived && { isSuperseded: true }),
    },
    oddities,
    isArchived,
  };
}

const ROLES: Readonly<Record<string, Role>> = {
  user: "user",
  assistant: "assistant",
  tool: "tool",
  system: "system",
  // Bookkeeping rows of the source, which must never reach a model.
  session_meta: "note",
};

function roleOf(role: string, oddities: OddKind[]): { role: Role; sourceRole: Readonly<Record<string, string>> } {
  const known = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (known === undefined) oddities.push("unknown-role");
  return { role: known ?? "note", sourceRole: known === role ? {} : { sourceRole: role } };
}

/** Lists and objects stand behind one of these marks, as JSON. */
const CONTENT_MARK = /^[\0\x01]json:/;

function contentOf(raw: string, oddities: OddKind[]): { text: string; content: Readonly<Record<string, unknown>> } {
  if (!CONTENT_MARK.test(raw)) return { text: raw, content: {} };
  const read = readJson(raw.slice("\0json:".length));
  if (read.kind === "text") {
    oddities.push("unreadable-content");
    return { text: raw, content: {} };
  }
  const parts = Array.isArray(read.value) ? read.value : [read.value];
  const texts = parts.map((part) => (typeof part === "string" ? part : isRecord(part) ? part["text"] : undefined));
  const text = texts.filter((part) => typeof part === "string").join("\n");
  const isOneText = parts.length === 1 && typeof texts[0] === "string" && isPlainText(parts[0]);
  return { text, content: isOneText ? {} : { content: read.value } };
}

function isPlainText(part: unknown): boolean {
  return (
    typeof part === "string" || (isRecord(part) && Object.keys(part).every((key) => key === "type" || key === "text"))
  );
}

function callsOf(raw: string | null, oddities: OddKind[]): Readonly<Record<string, unknown>> {
  if (raw === null || raw === "" || raw === "null" || raw === "[]") return {};
  const read = readJson(raw);
  const calls = read.kind === "value" && Array.isArray(read.value) ? read.value.map(toCall) : [undefined];
  const whole = calls.filter((call) => call !== undefined);
  if (whole.length < calls.length) {
    oddities.push("unreadable-tool-calls");
    return { rawToolCalls: raw };
  }
  const extras = whole.map((call) => call.extra);
  return {
    toolCalls: whole.map((call) => call.call),
    ...(extras.some((extra) => Object.keys(extra).length > 0) && { toolCallExtras: extras }),
  };
}

function toCall(value: unknown): { call: RequestedCall; extra: Readonly<Record<string, unknown>> } | undefined {
  if (!isRecord(value) || !isRecord(value["function"])) return undefined;
  const { id, type, function: called, ...rest } = value;
  const { name, arguments: given, ...more } = called as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return undefined;
  const call = {
    id: typeof id === "string" ? id : "",
    name,
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
  };
  const extra = { ...rest, ...more, ...(type !== undefined && type !== "function" && { type }) };
  return { call, extra };
}

function thoughtsOf(row: MessageRow): Readonly<Record<string, unknown>> {
  const json = (value: SourceText): unknown => {
    const text = toText(value);
    return text === null || text === "" ? null : jsonOrText(text);
  };
  return {
    ...present("reasoning", toText(row.reasoning)),
    ...present("reasoningContent", toText(row.reasoning_content)),
    ...present("reasoningDetails", json(row.reasoning_details)),
    ...present("codexReasoningItems", json(row.codex_reasoning_items)),
    ...present("codexMessageItems", json(row.codex_message_items)),
  };
}

function present(key: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === null || value === undefined ? {} : { [key]: value };
}

/** The driver ends a text at a NUL, so one is shown by its picture instead. */
function withoutNul(text: string, oddities: OddKind[]): string {
  if (!text.includes("\0")) return text;
  oddities.push("nul-characters");
  return text.replaceAll("\0", "\u2400");
}

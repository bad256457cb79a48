/** A request as what somebody said or pressed. Nothing of it is believed before its signature is checked. */
import { z } from "zod";
import { heardText } from "../format-heard.js";
import type { Chat, HttpAnswer, HttpRequest, Incoming, Press } from "../platform.js";
import { isFresh, isSigned, KEY_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "./signature.js";

export const BODY_BYTES_MAX = 256 * 1024;
const NAME_CHARS_MAX = 200;

const name = z.string().min(1).max(NAME_CHARS_MAX);

const where = {
  chat: name,
  type: z.enum(["dm", "group", "channel", "thread"]).default("dm"),
  thread: name.optional(),
  /** Stable for life: what the other side lets be changed is no id. */
  user: name,
  name: name.optional(),
};

const Said = z.strictObject({
  ...where,
  /** Of the event, for ever; the header says the same. */
  id: name.optional(),
  text: z.string(),
  /** In a group: it is meant for us. */
  addressed: z.boolean().default(true),
  quoted: z.string().max(10_000).optional(),
});
type Said = z.output<typeof Said>;

const Pressed = z.strictObject({ ...where, press: name });

export type Inbound =
  | { readonly kind: "said"; readonly incoming: Incoming }
  | { readonly kind: "pressed"; readonly press: Press }
  | { readonly kind: "turned-away"; readonly answer: HttpAnswer };

export function readInbound(request: HttpRequest, secret: string, nowMs: number): Inbound {
  const header = (wanted: string): string => headerOf(request.headers, wanted);
  if (request.method !== "POST") return turnedAway(405, "use POST", { allow: "POST" });
  if (!/^\/?(?:\?.*)?$/s.test(request.path)) return turnedAway(404, "there is nothing here");
  if (request.body.byteLength > BODY_BYTES_MAX) return turnedAway(413, `a body has at most ${BODY_BYTES_MAX} bytes`);
  const timestamp = header(TIMESTAMP_HEADER);
  const key = header(KEY_HEADER);
  if (!isSigned({ timestamp, key, body: request.body }, header(SIGNATURE_HEADER), secret)) {
    return turnedAway(401, "the signature is missing or wrong");
  }
  if (!isFresh(timestamp, nowMs)) return turnedAway(401, "the timestamp is more than five minutes off");
  const body = parsed(request.body);
  if (body === undefined) return turnedAway(400, "the body is no JSON in UTF-8");
  if (typeof body === "object" && body !== null && "press" in body) {
    const judged = Pressed.safeParse(body);
    if (!judged.success) return turnedAway(400, why(judged.error));
    const { press: token } = judged.data;
    return { kind: "pressed", press: { token, chat: chatOf(judged.data), sender: senderOf(judged.data) } };
  }
  const judged = Said.safeParse(body);
  return judged.success ? said(judged.data, key) : turnedAway(400, why(judged.error));
}

function said(body: Said, key: string): Inbound {
  const { id, quoted } = body;
  if (key !== "" && id !== undefined && key !== id) return turnedAway(400, "id and the header Idempotency-Key differ");
  const eventId = id ?? key;
  if (eventId === "" || eventId.length > NAME_CHARS_MAX) {
    return turnedAway(
      400,
      "an id is needed, or the header Idempotency-Key: the same at every attempt and for no other",
    );
  }
  const text = heardText(body.text);
  if (text.trim() === "") return turnedAway(400, "text: nothing is said");
  const incoming: Incoming = {
    eventId,
    chat: chatOf(body),
    sender: senderOf(body),
    text,
    isAddressed: body.type === "dm" || body.addressed,
    messageId: eventId,
    ...(quoted === undefined ? {} : { quoted: heardText(quoted) }),
  };
  return { kind: "said", incoming };
}

export function answer(status: number, body: Readonly<Record<string, unknown>>, headers = {}): HttpAnswer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

function turnedAway(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Inbound {
  return { kind: "turned-away", answer: answer(status, { error }, headers) };
}

function headerOf(headers: HttpRequest["headers"], wanted: string): string {
  const found = headers[wanted] ?? Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  return found?.trim() ?? "";
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // Told as what it is: no JSON.
    return undefined;
  }
}

function chatOf({ chat: id, type, thread }: Pick<Said, "chat" | "type" | "thread">): Chat {
  return { type: thread === undefined ? type : "thread", id, ...(thread === undefined ? {} : { threadId: thread }) };
}

function senderOf({ user: id, name: called }: Pick<Said, "user" | "name">): Incoming["sender"] {
  return { id, ...(called === undefined ? {} : { name: called }) };
}

function why(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; ");
}

/**
 * HTTP mode: Slack calls us. A request counts only with Slack's signature over its raw bytes and a time within five
 * minutes of ours; it is answered 200 when what it says is kept [CT-1], and 503 when it is not, so that it comes again.
 */
import { isValidSlackRequest } from "@slack/bolt";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { HttpAnswer, HttpRequest } from "../platform.js";
import type { Afterwards } from "./intake.js";

export const SIGNATURE_WINDOW_MS = 5 * 60_000;

export interface DoorParts {
  readonly signingSecret: string;
  readonly clock: Clock;
  readonly log: Logger;
  take(body: unknown): Promise<Afterwards | undefined>;
  /** Runs what is left to do when the answer is out. */
  later(afterwards: Afterwards): void;
}

export async function answerSlack(request: HttpRequest, parts: DoorParts): Promise<HttpAnswer> {
  if (request.method !== "POST") return { status: 405, headers: { allow: "POST" } };
  if (!isSigned(request, parts)) return { status: 401, body: "the signature does not fit" };
  const body = readBody(request);
  if (body === undefined) return { status: 400, body: "neither JSON nor a form" };
  const { type, challenge, ssl_check: sslCheck } = body;
  if (type === "url_verification" && typeof challenge === "string")
    return { status: 200, headers: { "content-type": "text/plain" }, body: challenge };
  if (sslCheck !== undefined) return { status: 200 };
  try {
    const afterwards = await parts.take(body);
    if (afterwards !== undefined) parts.later(afterwards);
    return { status: 200 };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    parts.log.warn("slack: an event was not kept and is left with Slack", { why });
    return { status: 503, headers: { "retry-after": "5" } };
  }
}

/** Bolt compares in constant time; it takes a time in the future and a header that is none, so those are looked at here. */
function isSigned({ headers, body }: HttpRequest, { signingSecret, clock }: DoorParts): boolean {
  const timestamp = headers["x-slack-request-timestamp"] ?? "";
  const signature = headers["x-slack-signature"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return false;
  const nowMs = clock.nowMs();
  if (Math.abs(nowMs - Number(timestamp) * 1_000) > SIGNATURE_WINDOW_MS) return false;
  return isValidSlackRequest({
    signingSecret,
    body: Buffer.from(body).toString("utf8"),
    headers: { "x-slack-signature": signature, "x-slack-request-timestamp": Number(timestamp) },
    nowMilliseconds: nowMs,
  });
}

/** Events are JSON, commands a form, buttons a form with JSON in it. */
function readBody({ headers, body }: HttpRequest): Record<string, unknown> | undefined {
  const text = Buffer.from(body).toString("utf8");
  if (!(headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")) return parse(text);
  const form = new URLSearchParams(text);
  const payload = form.get("payload");
  return payload === null ? Object.fromEntries(form) : parse(payload);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

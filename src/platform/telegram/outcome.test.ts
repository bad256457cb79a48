import { GrammyError, HttpError } from "grammy";
import { describe, expect, it } from "vitest";
import { ForeignAnswer, LineError } from "./line.js";
import { FLOOD_RETRY_MS, judge, UNREACHABLE_RETRY_MS } from "./outcome.js";

function answer(error_code: number, description: string, parameters = {}): GrammyError {
  const said = { ok: false as const, error_code, description, parameters };
  return new GrammyError("Call to 'sendMessage' failed!", said, "sendMessage", {});
}

const http = (error: unknown) => new HttpError("Network request for 'sendMessage' failed!", error);

const TABLE: readonly [string, unknown, object][] = [
  [
    "too many, wait 3 s",
    answer(429, "Too Many Requests: retry after 3", { retry_after: 3 }),
    { kind: "retry", afterMs: 3000, scope: "chat" },
  ],
  [
    "too many, wait an hour",
    answer(429, "Too Many Requests", { retry_after: 3600 }),
    { kind: "retry", afterMs: 3_600_000 },
  ],
  ["too many, without a time", answer(429, "Too Many Requests"), { kind: "retry", afterMs: FLOOD_RETRY_MS }],
  [
    "blocked",
    answer(403, "Forbidden: bot was blocked by the user"),
    { kind: "refused", why: "bot was blocked by the user" },
  ],
  ["kicked", answer(403, "Forbidden: bot was kicked from the supergroup chat"), { kind: "refused" }],
  ["no such chat", answer(400, "Bad Request: chat not found"), { kind: "refused", why: "chat not found" }],
  ["no such topic", answer(400, "Bad Request: message thread not found"), { kind: "refused" }],
  ["a closed topic", answer(400, "Bad Request: TOPIC_CLOSED"), { kind: "refused", why: "TOPIC_CLOSED" }],
  ["too long", answer(400, "Bad Request: message is too long"), { kind: "refused" }],
  ["a revoked token", answer(401, "Unauthorized"), { kind: "retry", scope: "platform" }],
  ["a token that never was", answer(404, "Not Found"), { kind: "retry", scope: "platform" }],
  [
    "too many, without words",
    answer(429, undefined as never, { retry_after: 36_000 }),
    { kind: "retry", afterMs: 36_000_000 },
  ],
  ["too large", answer(413, "Request Entity Too Large"), { kind: "refused" }],
  ["markup", answer(400, "Bad Request: can't parse entities: Unsupported start tag"), { kind: "markup" }],
  [
    "a group that moved",
    answer(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -1005 }),
    { kind: "moved", chatId: "-1005" },
  ],
  ["an error inside of Telegram", answer(500, "Internal Server Error: restart"), { kind: "unknown" }],
  ["a bad gateway in Telegram's words", answer(502, "Bad Gateway"), { kind: "unknown" }],
  ["an answer without a code", answer(undefined as never, "?"), { kind: "unknown" }],
  [
    "a line that never stood",
    http(new LineError("nothing", "connect ECONNREFUSED")),
    { kind: "retry", afterMs: UNREACHABLE_RETRY_MS, scope: "platform" },
  ],
  ["a line that was cut", http(new LineError("bytes", "socket hang up")), { kind: "unknown", why: "socket hang up" }],
  ["a front end's error", http(new ForeignAnswer(502, undefined)), { kind: "unknown" }],
  ["a portal's page", http(new ForeignAnswer(200, undefined)), { kind: "unknown" }],
  ["a front end's limit of size", http(new ForeignAnswer(413, undefined)), { kind: "refused" }],
  [
    "a front end's limit of rate",
    http(new ForeignAnswer(429, undefined)),
    { kind: "retry", afterMs: FLOOD_RETRY_MS, scope: "platform" },
  ],
  ["a front end's limit of rate with a time", http(new ForeignAnswer(429, 9)), { kind: "retry", afterMs: 9000 }],
  ["an error that nobody foresaw", new TypeError("x is undefined"), { kind: "unknown", why: "x is undefined" }],
  ["something thrown that is no error", "oops", { kind: "unknown", why: "oops" }],
  ["a file that broke off", http(new Error("EIO: read")), { kind: "unknown" }],
];

describe("what an error of a send means", () => {
  it.each(TABLE)("[CT-4] judges %s", (_, error, verdict) => {
    expect(judge(error)).toMatchObject(verdict);
  });
});

import { expect, it } from "vitest";
import type { SendOutcome } from "../platform.js";
import { isPassing, outcomeOf, type RestFailure } from "./rest-failure.js";

const TABLE: readonly (readonly [RestFailure, Partial<SendOutcome>, boolean])[] = [
  [{ kind: "unsent", why: "refused" }, { kind: "retry" }, true],
  [{ kind: "rate-limited", afterMs: 7_000, isGlobal: false }, { kind: "retry", afterMs: 7_000, scope: "chat" }, true],
  [
    { kind: "rate-limited", afterMs: 7_000, isGlobal: true },
    { kind: "retry", afterMs: 7_000, scope: "platform" },
    true,
  ],
  [{ kind: "rate-limited", afterMs: 0, isGlobal: false }, { kind: "retry", afterMs: 500 }, true],
  [{ kind: "refused", status: 401, code: 0, why: "401" }, { kind: "retry", scope: "platform" }, false],
  [{ kind: "refused", status: 403, why: "" }, { kind: "retry", scope: "platform" }, true],
  [{ kind: "refused", status: 404, code: 10003, why: "" }, { kind: "refused", why: "the channel is gone" }, false],
  [
    { kind: "refused", status: 400, code: 50035, why: "bad" },
    { kind: "refused", why: "Discord refuses it: bad" },
    false,
  ],
  [
    { kind: "refused", status: 400, code: 1, why: "" },
    { kind: "refused", why: "Discord refuses it: status 400" },
    false,
  ],
  [{ kind: "server-error", status: 502 }, { kind: "unknown" }, true],
  [{ kind: "cut", why: "reset" }, { kind: "unknown" }, true],
];

it.each(TABLE)("[CT-4] %j is an outcome", (failure, outcome, passes) => {
  expect(outcomeOf(failure)).toMatchObject(outcome);
  expect(outcomeOf(failure)).toHaveProperty("why", expect.stringMatching(/./));
  expect(isPassing(failure)).toBe(passes);
});

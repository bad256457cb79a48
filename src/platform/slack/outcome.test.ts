import { describe, expect, it } from "vitest";
import type { Fault } from "./fault.js";
import { outcomeOf, refusalOf } from "./outcome.js";

const answered = (code: string): Fault => ({ kind: "answered", code });

describe("[CT-4] a send's outcome is told by how far it came", () => {
  it.each<[Fault, object]>([
    [
      { kind: "limited", afterMs: 4_000 },
      { kind: "retry", afterMs: 4_000, scope: "chat" },
    ],
    [
      { kind: "unreached", why: "no" },
      { kind: "retry", scope: "platform" },
    ],
    [{ kind: "lost", why: "cut" }, { kind: "unknown" }],
    [{ kind: "status", status: 500 }, { kind: "unknown" }],
    [{ kind: "status", status: 503 }, { kind: "unknown" }],
    [{ kind: "status", status: 408 }, { kind: "unknown" }],
    [{ kind: "status", status: 413 }, { kind: "refused" }],
    [{ kind: "status", status: 403 }, { kind: "refused" }],
    [answered("internal_error"), { kind: "unknown" }],
    [answered("fatal_error"), { kind: "unknown" }],
    [answered("service_unavailable"), { kind: "unknown" }],
    [answered("ratelimited"), { kind: "retry" }],
    [answered("rate_limited"), { kind: "retry" }],
    [answered("message_limit_exceeded"), { kind: "retry" }],
    [answered("channel_not_found"), { kind: "refused", why: expect.stringContaining("not in it") }],
    [answered("is_archived"), { kind: "refused", why: expect.stringContaining("archived") }],
    [answered("not_in_channel"), { kind: "refused", why: expect.stringContaining("/invite") }],
    [answered("restricted_action"), { kind: "refused" }],
    [answered("msg_too_long"), { kind: "refused" }],
    [answered("account_inactive"), { kind: "retry", scope: "platform" }],
    [answered("invalid_auth"), { kind: "retry", scope: "platform", why: "invalid_auth" }],
    [answered("message_not_found"), { kind: "refused" }],
    [answered("something_new"), { kind: "refused", why: "something_new" }],
    [answered("constructor"), { kind: "refused", why: "constructor" }],
    [
      { kind: "answered", code: "missing_scope", needed: "chat:write" },
      { kind: "refused", why: expect.stringContaining("chat:write") },
    ],
  ])("%j", (fault, outcome) => {
    expect(outcomeOf(fault)).toMatchObject(outcome);
  });
});

describe("turned away at the start", () => {
  it.each(["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "team_disabled"])(
    "for good: %s",
    (code) => {
      const refusal = refusalOf(answered(code), "bot_token");
      expect(refusal?.message).toContain(code);
      expect(refusal?.hint).toMatch(/./);
    },
  );

  it("names the scope that is missing", () => {
    expect(refusalOf({ kind: "answered", code: "missing_scope", needed: "users:read" }, "bot_token")?.hint).toContain(
      "users:read",
    );
    expect(refusalOf(answered("missing_scope"), "app_token")?.hint).toContain("connections:write");
  });

  it.each<[Fault]>([
    [answered("internal_error")],
    [answered("toString")],
    [{ kind: "limited", afterMs: 1 }],
    [{ kind: "lost", why: "" }],
    [{ kind: "status", status: 500 }],
  ])("not for good: %j", (fault) => {
    expect(refusalOf(fault, "bot_token")).toBeUndefined();
  });
});

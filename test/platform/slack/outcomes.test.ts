/** Through the real client and the wire: what becomes of a send, for everything Slack or the line can do to it. */
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../src/base/clock.js";
import { abortedOnce } from "../../../src/platform/contract/recording.js";
import type { Outgoing, SendOutcome } from "../../../src/platform/platform.js";
import { freePort } from "../../support/free-port.js";
import type { FakeSlack, SlackPeerFault } from "./fake-slack/fake-slack.js";
import { onSlack } from "./support.js";

const DM = { chat: { type: "dm" as const, id: "D0ALICE" } };
const outgoing = (id: string, text = "hello"): Outgoing => ({ id, place: DM, text });
/** For what hangs, not for what is slow. */
const LIMIT_MS = 30_000;
/** How long an answer trickles before the send is called off. */
const TRICKLE_MS = 300;

/** What settles by waiting is settled at once, where everything that can happen has happened. */
const hurried: Clock = { ...systemClock, sleep: (delayMs, signal) => systemClock.sleep(delayMs / 100, signal) };

interface Row {
  readonly fault: SlackPeerFault;
  readonly outcome: Partial<SendOutcome>;
  /** Whether it can be seen, and so is found again. */
  readonly isShown: boolean;
}

const TABLE: readonly Row[] = [
  {
    fault: { kind: "rate-limited", afterMs: 7_000 },
    outcome: { kind: "retry", afterMs: 7_000, scope: "chat" },
    isShown: false,
  },
  {
    fault: { kind: "rate-limited", afterMs: 7_200_000 },
    outcome: { kind: "retry", afterMs: 3_600_000 },
    isShown: false,
  },
  { fault: { kind: "rate-limited-bare" }, outcome: { kind: "retry", afterMs: 30_000 }, isShown: false },
  { fault: { kind: "server-error" }, outcome: { kind: "unknown" }, isShown: false },
  { fault: { kind: "status", status: 503 }, outcome: { kind: "unknown" }, isShown: false },
  { fault: { kind: "status", status: 413 }, outcome: { kind: "refused" }, isShown: false },
  {
    fault: { kind: "status", status: 400, body: '{"ok":false,"error":"invalid_auth"}' },
    outcome: { kind: "retry", why: "invalid_auth", scope: "platform" },
    isShown: false,
  },
  { fault: { kind: "status", status: 302 }, outcome: { kind: "unknown" }, isShown: false },
  { fault: { kind: "page" }, outcome: { kind: "unknown" }, isShown: false },
  { fault: { kind: "no-ts" }, outcome: { kind: "unknown" }, isShown: true },
  { fault: { kind: "error", code: "internal_error", isTaken: true }, outcome: { kind: "unknown" }, isShown: true },
  { fault: { kind: "error", code: "fatal_error" }, outcome: { kind: "unknown" }, isShown: false },
  { fault: { kind: "error", code: "ratelimited" }, outcome: { kind: "retry" }, isShown: false },
  {
    fault: { kind: "error", code: "missing_scope" },
    outcome: { kind: "refused", why: "missing_scope (it needs the scope chat:write)" },
    isShown: false,
  },
  { fault: { kind: "error", code: "channel_not_found" }, outcome: { kind: "refused" }, isShown: false },
  { fault: { kind: "gone" }, outcome: { kind: "refused" }, isShown: false },
  { fault: { kind: "cut-before" }, outcome: { kind: "unknown" }, isShown: false },
  { fault: { kind: "cut-after" }, outcome: { kind: "unknown" }, isShown: true },
  { fault: { kind: "silent" }, outcome: { kind: "unknown" }, isShown: true },
  { fault: { kind: "slow" }, outcome: { kind: "unknown" }, isShown: true },
];

describe("[CT-4] the outcome of a send", () => {
  it.each(TABLE)("$fault", ({ fault, outcome, isShown }) =>
    onSlack({ isStarted: false, clock: hurried }, async ({ fake, platform }) => {
      fake.fail(fault);
      const sinceMs = Date.now();
      expect(await platform.send(outgoing("one"), limitFor(fault, fake))).toMatchObject(outcome);
      expect(
        fake.calls.filter(({ method }) => method === "chat.postMessage").length,
        "one attempt",
      ).toBeLessThanOrEqual(1);
      expect(fake.shown("D0ALICE")).toHaveLength(isShown ? 1 : 0);
      const found = await platform.findSent?.(outgoing("one"), sinceMs, AbortSignal.timeout(LIMIT_MS));
      const ts = fake.world.at("D0ALICE").at(-1)?.ts;
      expect(found).toEqual(isShown ? { kind: "found", receipt: ts } : { kind: "absent" });
    }),
  );

  it("is a retry when nobody listens: no byte left", async () => {
    const api_root = `http://127.0.0.1:${await freePort()}/api/`;
    await onSlack({ isStarted: false, settings: { api_root } }, async ({ platform }) => {
      const outcome = await platform.send(outgoing("one"), AbortSignal.timeout(LIMIT_MS));
      expect(outcome).toMatchObject({ kind: "retry", scope: "platform", why: expect.stringContaining("ECONNREFUSED") });
    });
  });

  it("is a retry when the name cannot be resolved", () =>
    onSlack({ isStarted: false, settings: { api_root: "http://nowhere.invalid/api/" } }, async ({ platform }) => {
      expect(await platform.send(outgoing("one"), AbortSignal.timeout(LIMIT_MS))).toMatchObject({ kind: "retry" });
    }));

  it("is refused where we are not, and where the text is too long or empty", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      fake.world.addChannel("C0AWAY").isMember = false;
      const send = (id: string, text: string) =>
        platform.send({ id: "x", place: { chat: { type: "group", id } }, text }, AbortSignal.timeout(LIMIT_MS));
      expect(await send("C0AWAY", "hi")).toMatchObject({ kind: "refused", why: expect.stringContaining("/invite") });
      expect(await send("C0NONE", "hi")).toMatchObject({ kind: "refused" });
      expect(await send("D0ALICE", "x".repeat(40_001))).toMatchObject({
        kind: "refused",
        why: expect.stringContaining("too long"),
      });
      expect(await send("D0ALICE", " ")).toMatchObject({ kind: "refused", why: expect.stringContaining("empty") });
    }));
});

describe("an edit", () => {
  it("is refused when the message is gone or not ours, and takes the buttons off", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const buttons = [{ label: "Yes", token: "y" }];
      const sent = await platform.send({ ...outgoing("one"), buttons }, signal);
      if (sent.kind !== "sent" || platform.edit === undefined) throw new Error("not sent");
      expect(fake.shown("D0ALICE")[0]?.buttons).toEqual(["Yes"]);
      expect(await platform.edit(DM, sent.receipt, outgoing("two", "done"), signal)).toMatchObject({ kind: "sent" });
      expect(fake.shown("D0ALICE")).toEqual([{ text: "done" }]);
      expect(await platform.findSent?.(outgoing("two"), Date.now(), signal)).toEqual({
        kind: "found",
        receipt: sent.receipt,
      });
      expect(await platform.edit(DM, "1.000001", outgoing("two"), signal)).toMatchObject({
        kind: "refused",
        why: expect.stringContaining("gone"),
      });
      const theirs = fake.say({ text: "mine", isSilent: true });
      expect(await platform.edit(DM, theirs, outgoing("two"), signal)).toMatchObject({ kind: "refused" });
    }));
});

describe("[CT-4] a lost send is found again", () => {
  it("in its thread, and in no other place", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const threadId = fake.say({ channel: "C0TEAM", text: "root", isSilent: true });
      const inThread: Outgoing = { id: "one", place: { chat: { type: "group", id: "C0TEAM", threadId } }, text: "hi" };
      const sinceMs = Date.now();
      await platform.send(inThread, signal);
      expect(await platform.findSent?.(inThread, sinceMs, signal)).toMatchObject({ kind: "found" });
      const top: Outgoing = { ...inThread, place: { chat: { type: "group", id: "C0TEAM" } } };
      expect(await platform.findSent?.(top, sinceMs, signal)).toEqual({ kind: "absent" });
    }));

  it("behind many others, and is unsure where there is too much to read", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const sinceMs = Date.now();
      await platform.send(outgoing("one"), signal);
      for (let at = 0; at < 500; at++) fake.say({ text: "noise", isSilent: true });
      expect(await platform.findSent?.(outgoing("one"), sinceMs, signal)).toMatchObject({ kind: "found" });
      for (let at = 0; at < 600; at++) fake.say({ text: "noise", isSilent: true });
      expect(await platform.findSent?.(outgoing("one"), sinceMs, signal)).toEqual({ kind: "unsure" });
    }));

  it("also when Slack is slower than we wait", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      let takes = (): void => undefined;
      fake.fail({ kind: "late", when: new Promise((resolve) => (takes = resolve)) });
      const sinceMs = Date.now();
      const asked = abortedOnce("it is asked", () => fake.calls.some(({ method }) => method === "chat.postMessage"));
      expect(await platform.send(outgoing("one"), asked)).toMatchObject({ kind: "unknown" });
      expect(fake.shown("D0ALICE")).toEqual([]);
      takes();
      const found = await platform.findSent?.(outgoing("one"), sinceMs, AbortSignal.timeout(LIMIT_MS));
      expect(found).toMatchObject({ kind: "found" });
    }));

  it("or is unsure, when the history cannot be read", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      fake.fail({ kind: "server-error" }, 1, "conversations.history");
      expect(await platform.findSent?.(outgoing("one"), Date.now(), AbortSignal.timeout(LIMIT_MS))).toEqual({
        kind: "unsure",
      });
    }));
});

/** What would never end is called off once Slack has taken it. */
function limitFor({ kind }: SlackPeerFault, fake: FakeSlack): AbortSignal {
  if (kind !== "silent" && kind !== "slow") return AbortSignal.timeout(LIMIT_MS);
  return abortedOnce("it is taken", async () => {
    if (fake.shown("D0ALICE").length === 0) return false;
    if (kind === "slow") await systemClock.sleep(TRICKLE_MS);
    return true;
  });
}

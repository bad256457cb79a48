/** Socket Mode: acknowledgements, redelivery, reconnecting, and being turned away. */
import { describe, expect, it } from "vitest";
import { PlatformRefusal } from "../../../src/platform/platform.js";
import type { SlackPeerFault } from "./fake-slack/fake-slack.js";
import { TOKENS } from "./fake-slack/world.js";
import { eventually, onSlack } from "./support.js";

/** For what hangs, not for what is slow. */
const END_LIMIT_MS = 15_000;

describe("[CT-1] [CT-2] acknowledging", () => {
  it("a store that is slower than Slack waits hears the same event again, under the same id", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.lines.retryMs = 100;
      const release = receiver.hold();
      fake.say({ text: "slow disk" });
      // Copies wait behind the first one: what is not kept yet is not kept twice at once.
      await eventually("Slack gave it again", () => (fake.lines.given(0)?.attempts ?? 0) >= 3);
      expect(fake.lines.acked).toBe(0);
      expect(receiver.heard).toHaveLength(1);
      release();
      await eventually("it is acknowledged", () => fake.lines.acked === 1);
      await eventually("every copy is through", () => receiver.kept.length === 3 || receiver.kept.length === 4);
      expect(new Set(receiver.kept.map((one) => one.eventId)).size).toBe(1);
    }));

  it("an event whose first copy was lost is heard from its retry", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.lines.retryMs = 50;
      fake.lines.loseFirst = 1;
      fake.say({ text: "first copy lost" });
      await receiver.hears("first copy lost");
      await eventually("it is acknowledged", () => fake.lines.acked === 1);
    }));

  it("an acknowledgement that cannot be sent any more costs a copy, and nothing else", () =>
    onSlack({}, async ({ fake, receiver }) => {
      const release = receiver.hold();
      fake.say({ text: "cut before the ack" });
      await receiver.hears("cut before the ack");
      fake.lines.cut();
      await eventually("it noticed", () => fake.lines.open === 0);
      release();
      await eventually("it is acknowledged on the next line", () => fake.lines.acked === 1);
      expect(new Set(receiver.kept.map((one) => one.eventId)).size).toBe(1);
    }));
});

describe("the line", () => {
  it("is opened again when Slack moves us, and nobody is told of an outage", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.lines.refresh();
      await eventually("the next line is open", () => fake.lines.connections === 2 && fake.lines.open === 1);
      fake.say({ text: "over there" });
      await receiver.hears("over there");
      expect(receiver.downs).toEqual([]);
      expect(receiver.ups).toBe(2);
    }));

  it("tells when it is lost, and why it cannot come back", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.fail({ kind: "server-error" }, 2, "apps.connections.open");
      fake.lines.cut();
      await eventually("it is up again", () => receiver.ups === 2);
      expect(receiver.downs[0]).toMatch(/lost/);
      expect(receiver.downs.slice(1)).toEqual([
        "apps.connections.open: HTTP status 500",
        "apps.connections.open: HTTP status 500",
      ]);
    }));

  it("waits as long as Slack asks before it tries again", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.fail({ kind: "rate-limited", afterMs: 1_000 }, 1, "apps.connections.open");
      const startMs = performance.now();
      fake.lines.cut();
      await eventually("it is up again", () => receiver.ups === 2);
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_000);
    }));

  it("that carries nothing any more is noticed", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.lines.freeze();
      await eventually("it is given up", () => receiver.downs.length > 0);
      await eventually("it is up again", () => receiver.ups === 2);
      fake.say({ text: "heard again" });
      await receiver.hears("heard again");
    }));

  it("outlives frames that cannot be read", () =>
    onSlack({}, async ({ fake, receiver, log }) => {
      for (const frame of [
        "no json",
        "null",
        "[]",
        '"x"',
        '{"type":"events_api"}',
        '{"type":"events_api","payload":null}',
        '{"type":"disconnect"',
      ])
        fake.lines.raw(frame);
      fake.say({ text: "still here" });
      await receiver.hears("still here");
      expect(receiver.downs).toEqual([]);
      expect(log.filter((line) => line.includes("cannot be read is left")).length).toBeGreaterThan(0);
    }));

  it("ends also when Slack does not answer the goodbye", () =>
    onSlack({}, async ({ fake, end }) => {
      fake.lines.freeze();
      const startMs = performance.now();
      await end();
      expect(performance.now() - startMs).toBeLessThan(END_LIMIT_MS);
    }));

  it("ends while it waits for the hello", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      fake.fail({ kind: "silent" }, 1, "apps.connections.open");
      const ending = new AbortController();
      const run = platform.run(ending.signal);
      await eventually("it asks", () => fake.calls.some(({ method }) => method === "apps.connections.open"));
      ending.abort();
      await run;
    }));
});

describe("turned away", () => {
  const refused = (method: string, fault: SlackPeerFault) => onSlackRefused((fake) => fake.fail(fault, 1, method));

  it.each(["invalid_auth", "not_authed", "account_inactive", "token_revoked"])("by auth.test: %s", async (code) => {
    const refusal = await refused("auth.test", { kind: "error", code });
    expect(refusal.message).toContain(code);
    expect(refusal.hint).toContain("xoxb-");
  });

  it("by apps.connections.open, for want of its scope", async () => {
    const refusal = await refused("apps.connections.open", { kind: "error", code: "invalid_auth" });
    expect(refusal.message).toContain("app_token");
    expect(refusal.hint).toContain("connections:write");
  });

  it("because the bot may not write", async () => {
    const refusal = await onSlackRefused((fake) => {
      fake.scopes = ["im:history"];
    });
    expect(refusal.hint).toContain("chat:write");
  });

  it("by an outage: not for good", () =>
    onSlack({ isStarted: false }, async ({ fake, platform }) => {
      fake.fail({ kind: "server-error" }, 1, "auth.test");
      const failure = await platform.run(AbortSignal.timeout(30_000)).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(failure).not.toBeInstanceOf(PlatformRefusal);
    }));

  async function onSlackRefused(
    prepare: (fake: Parameters<Parameters<typeof onSlack>[1]>[0]["fake"]) => void,
  ): Promise<PlatformRefusal> {
    let refusal: unknown;
    await onSlack({ isStarted: false, prepare }, async ({ platform }) => {
      refusal = await platform.run(AbortSignal.timeout(30_000)).catch((error: unknown) => error);
    });
    expect(refusal).toBeInstanceOf(PlatformRefusal);
    return refusal as PlatformRefusal;
  }
});

it("no secret and no text of a message is in the log", () =>
  onSlack({}, async ({ fake, platform, receiver, log }) => {
    fake.fail({ kind: "error", code: "invalid_auth" }, 1);
    fake.fail({ kind: "cut-after" }, 1);
    for (const id of ["a", "b"])
      await platform.send(
        { id, place: { chat: { type: "dm", id: "D0ALICE" } }, text: "our words" },
        AbortSignal.timeout(30_000),
      );
    receiver.rejectNext(1);
    fake.say({ text: "their words" });
    await receiver.hears("their words");
    fake.lines.cut();
    await eventually("it is up again", () => receiver.ups === 2);
    const all = log.join("\n");
    expect(all).not.toBe("");
    for (const secret of [...Object.values(TOKENS), "our words", "their words"]) expect(all).not.toContain(secret);
  }));

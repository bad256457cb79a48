/** HTTP mode: whose requests count, and when they are answered. */
import { describe, expect, it } from "vitest";
import type { HttpRequest } from "../../../src/platform/platform.js";
import { answerSlack, SIGNATURE_WINDOW_MS } from "../../../src/platform/slack/http-door.js";
import { ManualClock } from "../../support/manual-clock.js";
import { signedRequest } from "./fake-slack/lines.js";
import { TOKENS } from "./fake-slack/world.js";
import { eventually, onSlack } from "./support.js";

const clock = new ManualClock();
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent, droppedCount: () => 0 };

async function ask(request: HttpRequest, take: (body: unknown) => Promise<undefined> = async () => undefined) {
  const taken: unknown[] = [];
  const answer = await answerSlack(request, {
    signingSecret: TOKENS.signing,
    clock,
    log: silent,
    take: (body) => {
      taken.push(body);
      return take(body);
    },
    later: () => undefined,
  });
  return { ...answer, taken };
}

const event = { type: "event_callback", event: { type: "message", text: "ünï 👋" } };
const signed = (how: { secret?: string; atMs?: number } = {}) =>
  signedRequest("events_api", event, { atMs: clock.nowMs(), ...how });

describe("a request counts", () => {
  it("with Slack's signature over its bytes", async () => {
    expect(await ask(signed())).toMatchObject({ status: 200, taken: [event] });
  });

  it.each<[string, () => HttpRequest]>([
    ["another's secret", () => signed({ secret: "other" })],
    ["a body that was changed", () => ({ ...signed(), body: Buffer.from(JSON.stringify({ ...event, more: 1 })) })],
    [
      "one byte of the body changed",
      () => ({ ...signed(), body: Buffer.from(signed().body.map((byte, at) => (at === 40 ? byte ^ 1 : byte))) }),
    ],
    ["no signature", () => without("x-slack-signature")],
    ["no time", () => without("x-slack-request-timestamp")],
    ["a time that is none", () => withHeader("x-slack-request-timestamp", "NaN")],
    ["a time in words", () => withHeader("x-slack-request-timestamp", "1e9")],
    ["another time", () => withHeader("x-slack-request-timestamp", String(Math.floor(clock.nowMs() / 1_000) - 1))],
    [
      "a signature of another version",
      () => withHeader("x-slack-signature", signed().headers["x-slack-signature"]?.replace("v0", "v1") ?? ""),
    ],
    [
      "a signature cut short",
      () => withHeader("x-slack-signature", signed().headers["x-slack-signature"]?.slice(0, -1) ?? ""),
    ],
    ["an empty signature", () => withHeader("x-slack-signature", "v0=")],
    ["a replay of yesterday", () => signed({ atMs: clock.nowMs() - SIGNATURE_WINDOW_MS - 1_000 })],
    ["a time to come", () => signed({ atMs: clock.nowMs() + SIGNATURE_WINDOW_MS + 1_000 })],
  ])("not with %s", async (_name, request) => {
    expect(await ask(request())).toMatchObject({ status: 401, taken: [] });
  });

  it("within five minutes either way", async () => {
    for (const offMs of [-SIGNATURE_WINDOW_MS + 1_000, SIGNATURE_WINDOW_MS - 1_000])
      expect(await ask(signed({ atMs: clock.nowMs() + offMs }))).toMatchObject({ status: 200 });
  });

  it("by POST alone, and when it can be read", async () => {
    expect(await ask({ ...signed(), method: "GET" })).toMatchObject({ status: 405, taken: [] });
    const nonsense = signedRequest("interactive", {}, { atMs: clock.nowMs() });
    expect(
      await ask({ ...nonsense, headers: { ...nonsense.headers, "content-type": "application/json" } }),
    ).toMatchObject({ status: 400 });
  });

  function without(name: string): HttpRequest {
    const { [name]: _gone, ...headers } = signed().headers;
    return { ...signed(), headers };
  }
  function withHeader(name: string, value: string): HttpRequest {
    return { ...signed(), headers: { ...signed().headers, [name]: value } };
  }
});

describe("the answer", () => {
  it("is the challenge when Slack tries the address, and only with its signature", async () => {
    const body = { type: "url_verification", challenge: "c-1" };
    expect(await ask(signedRequest("events_api", body, { atMs: clock.nowMs() }))).toMatchObject({
      status: 200,
      body: "c-1",
      taken: [],
    });
    expect(await ask(signedRequest("events_api", body, { atMs: clock.nowMs(), secret: "other" }))).toMatchObject({
      status: 401,
    });
  });

  it("[CT-1] is 503 for what could not be kept", async () => {
    const answer = await ask(signed(), async () => {
      throw new Error("the disk is full");
    });
    expect(answer.status).toBe(503);
  });

  it("is 200 for a probe of the certificate", async () => {
    expect(await ask(signedRequest("slash_commands", { ssl_check: 1 }, { atMs: clock.nowMs() }))).toMatchObject({
      status: 200,
      taken: [],
    });
  });
});

describe("through the account", () => {
  const door = (platform: { http?(request: HttpRequest): Promise<{ status: number }> }, request: HttpRequest) =>
    platform.http?.(request) ?? Promise.reject(new Error("no door"));

  it("[CT-1] is closed until it runs, and after its end", () =>
    onSlack({ mode: "http", isStarted: false }, async ({ fake, platform, start, end, receiver }) => {
      const body = fake.eventBody({
        type: "message",
        channel: "D0ALICE",
        user: "U0ALICE",
        text: "hi",
        ts: "1700000000.000001",
      });
      const request = (): HttpRequest => signedRequest("events_api", body);
      expect(await door(platform, request())).toMatchObject({ status: 503 });
      await start();
      expect(await door(platform, request())).toMatchObject({ status: 200 });
      await end();
      expect(await door(platform, request())).toMatchObject({ status: 503 });
      expect(receiver.heard).toHaveLength(1);
    }));

  it("[CT-2] retries are heard, whether the first copy came or not", () =>
    onSlack({ mode: "http" }, async ({ fake, platform, receiver }) => {
      fake.lines.door = (request) => door(platform, request) as Promise<{ status: number }>;
      fake.lines.retryMs = 50;
      fake.lines.loseFirst = 1;
      fake.say({ text: "first copy lost" });
      await receiver.hears("first copy lost");
      receiver.rejectNext(1);
      fake.say({ text: "not kept at first" });
      await eventually("it is kept", () => receiver.kept.length === 2);
      await eventually("both are acknowledged", () => fake.lines.acked === 2);
      expect(new Set(receiver.heard.map(({ eventId }) => eventId)).size).toBe(2);
    }));

  it("commands and buttons come as forms", () =>
    onSlack({ mode: "http" }, async ({ fake, platform, receiver }) => {
      fake.lines.door = (request) => door(platform, request) as Promise<{ status: number }>;
      fake.command({ command: "/talaria", text: "model a&b" });
      await receiver.hears("/model a&b");
      const place = { chat: { type: "dm" as const, id: "D0ALICE" } };
      await platform.send(
        { id: "1", place, text: "May I?", buttons: [{ label: "Yes", token: "t" }] },
        AbortSignal.timeout(30_000),
      );
      expect(await fake.press("D0ALICE", "Yes")).toBe("noted");
    }));

  it("answers soon: a hundred at once are a second's work", () =>
    onSlack({ mode: "http" }, async ({ fake, platform }) => {
      const requests = Array.from({ length: 100 }, () => {
        const ts = fake.world.nextTs();
        return fake.eventBody({ type: "message", channel: "D0ALICE", user: "U0ALICE", text: "hi", ts });
      });
      const begun = process.cpuUsage();
      const answers = await Promise.all(requests.map((body) => door(platform, signedRequest("events_api", body))));
      // The processor's time, not the clock's: the machine may have other things to do.
      const { user, system } = process.cpuUsage(begun);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect((user + system) / 1_000).toBeLessThan(1_000);
    }));
});

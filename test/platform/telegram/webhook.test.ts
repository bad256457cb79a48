/** Telegram calls us: who is believed, when it is told that we have it, and that nothing is lost while we change over. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../src/platform/contract/recording.js";
import type { HttpRequest, Platform } from "../../../src/platform/platform.js";
import { type Bench, impatient, openBench } from "./bench.js";
import { PEOPLE } from "./fake-world.js";

const SECRET = "a-secret-of-at-least-16";
const WEBHOOK = { url: "https://bot.example.org/", secret: SECRET, path: "/in" };
const UPDATE = {
  update_id: 1,
  message: {
    message_id: 5,
    date: 1,
    from: PEOPLE.alice,
    chat: { id: 42, type: "private", first_name: "A" },
    text: "hi",
  },
};

let bench: Bench | undefined;
let door: Server | undefined;
afterEach(async () => {
  await bench?.stop();
  door?.closeAllConnections();
  await new Promise((resolve) => (door ? door.close(resolve) : resolve(undefined)));
  bench = undefined;
  door = undefined;
});

async function open(webhook: object = WEBHOOK): Promise<Bench> {
  bench = await openBench({ settings: { webhook } });
  return bench;
}

function call({ platform }: Bench, more: Partial<HttpRequest> = {}) {
  const request: HttpRequest = {
    method: "POST",
    path: "/in",
    headers: { "x-telegram-bot-api-secret-token": SECRET },
    body: Buffer.from(JSON.stringify(UPDATE)),
    ...more,
  };
  return platform.http?.(request);
}

describe("Telegram's calls", () => {
  it.each<[string, Partial<HttpRequest>, number]>([
    ["a call with the secret", {}, 200],
    ["a slash more in the path", { path: "/in/" }, 200],
    ["a query behind the path", { path: "/in?from=proxy" }, 200],
    ["another path", { path: "/elsewhere" }, 404],
    ["a look", { method: "GET" }, 405],
    ["no secret", { headers: {} }, 401],
    ["a wrong secret", { headers: { "x-telegram-bot-api-secret-token": `${SECRET}x` } }, 401],
    ["a part of the secret", { headers: { "x-telegram-bot-api-secret-token": SECRET.slice(0, -1) } }, 401],
    ["what is no JSON", { body: Buffer.from("{") }, 400],
    ["what is no update", { body: Buffer.from("[]") }, 400],
    ["an update that says nothing", { body: Buffer.from('{"update_id":3,"poll":{}}') }, 200],
  ])("answers %s", async (_, more, status) => {
    const one = await open();
    void one.run();
    await eventually("it is up", () => one.receiver.ups === 1);
    expect(await call(one, more)).toMatchObject({ status });
    expect(one.receiver.kept).toHaveLength(status === 200 && more.body === undefined ? 1 : 0);
  });

  it("[CT-1] are answered only when the message has been kept", async () => {
    const one = await open();
    void one.run();
    await eventually("it is up", () => one.receiver.ups === 1);
    const release = one.receiver.hold();
    let status = 0;
    const answered = call(one)?.then((answer) => {
      status = answer.status;
    });
    await one.receiver.hears("hi");
    expect(status).toBe(0);
    release();
    await answered;
    expect(status).toBe(200);
  });

  it("[CT-1] are turned back with 503 when it could not be kept, or when we do not know yet who we are", async () => {
    const one = await open();
    expect(await call(one)).toMatchObject({ status: 503 });
    void one.run();
    await eventually("it is up", () => one.receiver.ups === 1);
    one.receiver.rejectNext(1);
    expect(await call(one)).toMatchObject({ status: 503 });
    expect(await call(one)).toMatchObject({ status: 200 });
  });

  it("have no door where messages are polled for", async () => {
    bench = await openBench();
    expect(bench.platform.http).toBeUndefined();
  });
});

describe("the webhook", () => {
  it("[CT-1] [CT-2] brings every message, once kept, from before it was set and after failures", async () => {
    const { url, listen } = await openDoor();
    const one = await open({ url, secret: SECRET });
    listen(one.platform);
    one.fake.say({ text: "before" });
    one.receiver.rejectNext(2);
    void one.run();
    await eventually("it is up", () => one.receiver.ups === 1);
    expect(one.fake.desk.webhook).toEqual({ url, secret: SECRET });
    one.fake.say({ text: "after" });
    await eventually("both are kept", () => one.receiver.kept.length === 2);
    expect(one.receiver.kept.map((message) => message.text)).toEqual(["before", "after"]);
    await eventually("both are confirmed", async () => (await one.fake.peer.acknowledged?.()) === 2);
  });

  it("is set again when another program takes it, and the line is told down and up", async () => {
    bench = await openBench({ settings: { webhook: WEBHOOK }, clock: impatient() });
    const { fake, receiver, run } = bench;
    void run();
    await eventually("it is up", () => receiver.ups === 1);
    fake.desk.webhook = { url: "https://elsewhere.example", secret: "" };
    await eventually("it is ours again", () => fake.desk.webhook?.url === WEBHOOK.url);
    fake.fail(["getWebhookInfo"], { kind: "server-error" }, 2);
    await eventually("it is up again", () => receiver.ups === 2);
    expect(receiver.downs).toHaveLength(1);
  });
});

it("gives way after a bounded fight for the webhook", async () => {
  const { fake, run } = await open();
  const other = { url: "https://elsewhere.example", secret: "" };
  Object.defineProperty(fake.desk, "webhook", { get: () => other, set: () => undefined });
  await expect(run()).rejects.toMatchObject({ message: expect.stringContaining("keeps taking") });
});

/** The gateway's door, as far as it matters here. */
async function openDoor() {
  let platform: Platform | undefined;
  door = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = request.headers as Record<string, string | undefined>;
    const answer = await platform?.http?.({ method: "POST", path: "/", headers, body: Buffer.concat(chunks) });
    response.writeHead(answer?.status ?? 503).end();
  });
  const server = door;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    listen: (to: Platform) => {
      platform = to;
    },
  };
}

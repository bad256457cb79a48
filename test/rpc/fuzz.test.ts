/** Whatever comes over a line, the host stays, other clients are served, and no session is touched. */
import { request } from "node:http";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { METHODS } from "#protocol/methods.js";
import type { RawClient } from "./support/client.js";
import { Follower } from "./support/follower.js";
import { LINES } from "./support/line.js";
import { useStage } from "./support/stage.js";

const FRAMES = 400;
const SEED = Number(process.env["RPC_FUZZ_SEED"] ?? 20_261);

/** Ends the host or the line, or runs a command of the person's own: not for random words. */
const LEFT_OUT = new Set([
  "host.stop",
  "connection.bye",
  "shell.exec",
  "host.maintain",
  "slash.exec",
  "command.dispatch",
]);

describe("odd frames", () => {
  const stage = useStage([
    { when: { user: "flood" }, text: "water ".repeat(100_000), pieceChars: 20_000 },
    { text: "Hello." },
  ]);
  let pid = 0;
  afterEach(() => {
    expect(stage.hostPid).toBe(pid);
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  async function witness(): Promise<{ client: RawClient; id: string; story: string }> {
    pid = stage.hostPid;
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    return { client, id, story: await storyOf(client, id) };
  }

  async function storyOf(client: RawClient, id: string): Promise<string> {
    const { messages } = await client.call("session.resume", { session_id: id });
    const { inputs } = await client.call("session.queue", { session_id: id });
    return JSON.stringify([messages, inputs]);
  }

  const scalar = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt().map(Number),
  );
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 5 }),
    fc.dictionary(fc.string(), scalar, { maxKeys: 5 }),
  );
  const method = fc.oneof(
    fc.constantFrom(...Object.keys(METHODS).filter((name) => !LEFT_OUT.has(name))),
    fc.string(),
    fc.constantFrom("constructor", "__proto__", "toString", "event"),
  );
  const field = fc.constantFrom(
    "session_id",
    "text",
    "title",
    "key",
    "value",
    "after",
    "limit",
    "choice",
    "messages",
    "__proto__",
  );
  const frame = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant("2.0"), value),
      id: fc.oneof(fc.string(), fc.integer(), value),
      method: fc.oneof(method, value),
      params: fc.oneof(fc.dictionary(field, value, { maxKeys: 6 }), value),
    },
    { requiredKeys: [] },
  );
  const odd = fc.oneof(
    { weight: 6, arbitrary: frame.map((one) => JSON.stringify(one)) },
    { weight: 1, arbitrary: frame.map((one) => JSON.stringify(one).slice(0, -2)) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 300 }) },
    { weight: 1, arbitrary: fc.constantFrom("[".repeat(5_000), '{"a":'.repeat(5_000), "null", "[]", "0", '"x"', "{}") },
  );

  it.each(LINES)(`[PR-45] ${FRAMES} of them over %s change nothing (seed ${SEED})`, async (kind) => {
    const { client: steady, id, story } = await witness();
    const client = await stage.open(kind);
    const end = kind === "websocket" ? "" : "\n";
    for (const text of fc.sample(odd, { numRuns: FRAMES, seed: SEED })) {
      if (client.isEnded) break;
      client.line.sendRaw(`${text.replaceAll("\n", " ")}${end}`);
    }
    // Answered behind all of them, unless the line was ended for one.
    const last = await client.ask("pet.cells").catch(() => undefined);
    expect(client.isEnded || last?.result).toBeTruthy();
    expect(await storyOf(steady, id)).toBe(story);
    client.faults.length = 0;
  });

  it.each(LINES)("[PR-45] bytes that are no text over %s end at most this line", async (kind) => {
    const { client: steady, id, story } = await witness();
    const client = await stage.open(kind);
    client.line.sendRaw(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a, 0x80, 0x0a]));
    await client.ask("pet.cells").catch(() => undefined);
    expect(await storyOf(steady, id)).toBe(story);
    expect(await steady.call("pet.cells")).toEqual({ enabled: false });
  });

  it.each(LINES)("[PR-45] a frame longer than any over %s ends this line and says why", async (kind) => {
    const { client: steady, id, story } = await witness();
    const client = await stage.open(kind);
    const huge = JSON.stringify({
      jsonrpc: "2.0",
      id: "x",
      method: "prompt.submit",
      params: { text: "x".repeat(4_500_000) },
    });
    client.line.sendRaw(kind === "websocket" ? huge : `${huge}\n`);
    await client.until("an answer or the end", () => client.isEnded || client.answers.length > 0);
    if (client.isEnded) expect(client.farewell).toBe("bad-frame");
    else expect(client.answers[0]?.error).toBeDefined();
    expect(await storyOf(steady, id)).toBe(story);
  });

  it("[PR-45] half a frame that stands keeps nobody else waiting", async () => {
    const { client: steady, id, story } = await witness();
    const client = await stage.open("socket");
    client.line.sendRaw('{"jsonrpc":"2.0","id":"h1","method":"pet.');
    expect(await steady.call("pet.cells")).toEqual({ enabled: false });
    client.line.sendRaw('cells"}\n');
    expect(await client.answerTo("h1")).toMatchObject({ result: { enabled: false } });
    expect(await storyOf(steady, id)).toBe(story);
  });

  it("[PR-46] a client that does not read is dropped with a reason, and asks for the rest", async () => {
    const { client: steady, id } = await witness();
    const lazy = await stage.open("socket");
    const follower = new Follower();
    await follower.join(lazy, id);
    const watcher = await stage.open("socket");
    const connections = async (): Promise<number> => (await watcher.call("host.status")).connections;
    const before = await connections();
    lazy.line.pause?.();
    // Its last words are there for a moment: it reads again as soon as it is dropped, while the others go on.
    const dropped = expect
      .poll(connections, { interval: 10 })
      .toBe(before - 1)
      .then(() => lazy.line.resume?.());
    for (let told = 0; told < 6; told++) {
      await steady.call("prompt.submit", { session_id: id, text: `flood ${told}` });
      await steady.turnEnd(id);
    }
    await dropped;
    await lazy.until("the end of the line", () => lazy.isEnded);
    expect(lazy.farewell).toBe("too-slow");
    follower.leave(lazy, id);
    const again = await stage.open("socket");
    again.joinedInside.add(id);
    await follower.join(again, id);
    const last = follower.events.findLast(({ type }) => type === "message.complete");
    const shown = last?.payload?.["text"] ?? follower.rows.findLast(({ role }) => role === "assistant");
    expect(JSON.stringify(shown)).toContain("water");
    expect(await storyOf(again, id)).toBe(await storyOf(steady, id));
  });

  it.each([
    ["no token", {}],
    ["a wrong token", { authorization: `Bearer ${"0".repeat(64)}` }],
    ["another origin", { origin: "https://evil.example" }],
    ["another name for this machine", { host: "evil.example" }],
  ])("[PR-47] a WebSocket with %s gets a status code and nothing else", async (_what, headers) => {
    pid = stage.hostPid;
    const { status, body } = await knock(stage.place.port, headers);
    expect([401, 403]).toContain(status);
    expect(body).not.toMatch(/jsonrpc|gateway/);
  });

  function knock(port: number, headers: Record<string, string>): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
      const key = { "sec-websocket-key": Buffer.from("0123456789abcdef").toString("base64") };
      const asked = request({ port, host: "127.0.0.1", path: "/api/ws", headers: { ...upgrade, ...key, ...headers } });
      asked.once("upgrade", () => reject(new Error("let in")));
      asked.once("response", (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
      asked.once("error", reject);
      asked.end();
    });
  }
});

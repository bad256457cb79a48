import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stopHost } from "../support/hosts.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { type ChatHome, chatHome } from "./support/chat.js";

/** Of no shape that a pattern could know. */
const KEY = "hunter22correcthorse";
const HEADER = "batterystaple22";
const WORDS = `Incorrect API key provided: ${KEY} (${HEADER}). Your API key ${KEY} is not known.`;

let server: ModelServer;
let home: ChatHome;
beforeAll(async () => {
  server = await startModelServer({ script: {} });
});
afterAll(() => server.close());
beforeEach(() => {
  home = chatHome({
    OPENAI_BASE_URL: server.baseUrl("openai-chat"),
    OPENAI_API_KEY: KEY,
    TALARIA_MODEL: "openai/scripted",
    TALARIA_MODEL_PROVIDER: "openai",
    TALARIA_MODEL_HEADERS: JSON.stringify({ "X-Team": HEADER }),
    TALARIA_AGENT_RETRIES_MAX: "1",
    TALARIA_LOGS_LEVEL: "debug",
  });
});
afterEach(() => home.remove());

/** Every byte of every file of the home: the log, the database and what stands beside it. */
function bytesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

describe("a provider that repeats the key in its error", () => {
  it.each([
    ["refuses", { kind: "status", status: 401, message: WORDS }],
    ["refuses in its own shape", { kind: "status", status: 403, body: `<html><title>${WORDS}</title></html>` }],
    ["fails, and is tried again", { kind: "status", status: 500, message: WORDS }],
    ["breaks off its answer", { kind: "error", afterFrames: 1, message: WORDS }],
    ["answers with something else", { kind: "body", contentType: "application/json", text: JSON.stringify({ WORDS }) }],
  ] as const)("[MD-12] and %s puts it on no screen, into no log and into no store", async (_, fault) => {
    server.answerWith(() => ({ text: "hello there", fault }));
    server.forget();
    for (const flags of [[], ["--json"], ["--stream-json"]]) {
      const { code, stdout, stderr } = await home.run(["chat", "-q", "hello", ...flags]);
      expect(code, stderr).toBe(1);
      expect(stdout + stderr).toContain("openai/scripted");
      expect(stdout + stderr).not.toMatch(new RegExp(`${KEY}|${HEADER}`));
    }
    expect(server.exchanges[0]?.seen.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "x-team": HEADER });
    // Nobody writes while every file is read.
    await stopHost(home.path);
    const kept = bytesOf(home.path);
    expect(kept).toContain("hello");
    expect(kept).not.toMatch(new RegExp(`${KEY}|${HEADER}`));
  });
});

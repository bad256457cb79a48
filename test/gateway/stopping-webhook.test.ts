/** The gateway stopped while somebody calls it by HTTP, who posts once and does not ask again. */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { homePaths } from "#config/home.js";
import { hostRecord } from "#store/sqlite/host-lock.js";
import { isThere } from "../host/support/host-home.js";
import type { ScriptFunction } from "../support/model-server/reply.js";
import { judgeStore, judgeViews, type Told } from "./support/contract.js";
import { echo, tokenOf } from "./support/echo.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import { openWebhookSide, type WebhookSide } from "./support/webhook.js";

const { stage: begin, onEnd } = staged();
const TIME_MS_MAX = 120_000;

/** Answers when the test says so. */
const onceTold: ScriptFunction = async (seen, index) => ({ ...(await echo(seen, index)), holdAfter: 1 });

describe("a gateway that is called while it stops", () => {
  it("[GW-18] [CT-1] [CT-3] keeps what is posted during the drain, refuses clients, and its successor answers by the same port", {
    timeout: TIME_MS_MAX,
  }, async () => {
    // Started by hand: the command itself starts the next one, which needs the port.
    const { stage, side } = await withWebhook({ TALARIA_SUPERVISED: "0" });
    await stage.up();
    const told = [await kept(side, "a", 1)];
    await stage.model.held();
    const { pid } = stage;
    const restarted = stage.run(["gateway", "restart", "--json"]);
    await noClientsAt(stage);
    told.push(await kept(side, "a", 2), await kept(side, "b", 1));
    expect(await healthAt(side)).toMatchObject({ status: 503, live: true, ready: false, state: "stopping" });
    expect(await dialAt(stage, side)).toEqual({ status: 503, body: "the host is stopping\n" });
    stage.model.go();
    expect(JSON.parse((await restarted).stdout)).toMatchObject({ restarted: true, previous: pid });
    await stage.converge();
    expect(await healthAt(side)).toMatchObject({ status: 200, ready: true });
    // Whoever did not trust the answer asks again, and it is the same message.
    await kept(side, "b", 1);
    await judge(stage, side, told);
  });

  it("[GW-18] [GW-45] [CT-1] keeps what is posted before it is hurried, and what meets nobody leaves nothing behind", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, side } = await withWebhook();
    await stage.up();
    const told = [await kept(side, "a", 1)];
    await stage.model.held();
    const ended = stage.stop();
    await noClientsAt(stage);
    told.push(await kept(side, "a", 2), await kept(side, "b", 1));
    expect(await stage.stop()).toEqual({ code: 143, signal: null });
    await ended;
    expect(await side.post("b", `please ${tokenOf("b", 2)}`, "b-2")).toBe("refused");
    stage.model.go();
    await stage.up();
    await judge(stage, side, told);
  });
});

async function withWebhook(environment: NodeJS.ProcessEnv = {}): Promise<{ stage: Stage; side: WebhookSide }> {
  const side = await openWebhookSide();
  onEnd(() => side.stop());
  const stage = await begin({
    script: onceTold,
    platforms: { webhook: side.settings },
    settings: { host: { port: side.port }, gateway: { drain_seconds: 60 } },
    environment,
  });
  // One that the command started by itself outlives it when a test fails.
  onEnd(async () => {
    const pid = hostRecord(homePaths(stage.home).run)?.pid;
    if (pid !== undefined && isThere(pid)) process.kill(pid, "SIGKILL");
  });
  return { stage, side };
}

async function kept(side: WebhookSide, chat: string, number: number): Promise<Told> {
  const token = tokenOf(chat, number);
  const eventId = `${chat}-${number}`;
  expect(await side.post(chat, `please ${token}`, eventId)).toBe(200);
  return { chat, token, eventId };
}

/** The stop has begun, and its first step is done: that is when the home's socket goes. */
async function noClientsAt(stage: Stage): Promise<void> {
  const { hostSocket } = homePaths(stage.home);
  await stage.until("no client gets in", () => !existsSync(hostSocket));
}

async function healthAt({ port }: WebhookSide): Promise<object> {
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  return { status: response.status, ...((await response.json()) as object) };
}

/** How somebody with the token is turned away. */
async function dialAt(stage: Stage, { port }: WebhookSide): Promise<{ status: number | undefined; body: string }> {
  const token = readFileSync(join(homePaths(stage.home).run, "token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, { headers });
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, body };
}

/** Everything that was kept is answered, once, and nothing else is there. */
async function judge(stage: Stage, side: WebhookSide, told: readonly Told[]): Promise<void> {
  await stage.converge();
  expect(await stage.stop()).toEqual({ code: 143, signal: null });
  const views = ["a", "b"].map((chat) => ({ chat, posts: side.shown(chat) }));
  expect(judgeViews(told, views, { deaths: 0 })).toEqual([]);
  expect(judgeStore(stage.look(), told, { isStopped: true })).toEqual([]);
}

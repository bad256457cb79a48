/** A host's insides over a real SQLite file and a platform on paper. The clock stands still: what is sent was poked for. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HostId, seededIds } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { type HomePaths, homePaths, prepareHome } from "#config/home.js";
import { loadConfig } from "#config/load.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { HOUR_MS, ManualClock } from "../../../test/support/manual-clock.js";
import { PaperPlatform } from "../../../test/support/paper-platform.js";
import { only } from "../../../test/support/scenario.js";
import { createExtensions } from "./extensions.js";
import type { HostWish } from "./start-host.js";
import { assemble, type HostWorks } from "./works.js";

const CONFIG = `platforms:
  paper: { allow: ["42"], owners: ["7"], stream: false }
`;
const HOST = "host" as HostId;
const KEY = "agent:main:paper:dm:1";
const ADDRESS = { platform: "paper", account: "main", chatType: "dm", chatId: "1" };

let home: HomePaths;
let clock: ManualClock;
let paper: PaperPlatform;
let works: HostWorks;
let bugs: unknown[];

beforeEach(async () => {
  home = homePaths(mkdtempSync("/tmp/works-"));
  prepareHome(home);
  writeFileSync(home.config, CONFIG, { mode: 0o600 });
  clock = new ManualClock();
  paper = new PaperPlatform();
  bugs = [];
  works = openWorks();
  await works.gateway?.open();
  await expect.poll(() => works.gateway?.standing().accounts.map(({ state }) => state.kind)).toEqual(["up"]);
});
afterEach(async () => {
  const stopped = works.gateway?.stop(0);
  clock.advance(5_000);
  await stopped;
  await works.store.close();
  rmSync(home.root, { recursive: true, force: true, maxRetries: 20 });
  expect(bugs).toEqual([]);
});

describe("what a chat is owed leaves at once", () => {
  it("[CT-3] when somebody owes it", async () => {
    await works.store.oweDelivery({ platform: "paper", address: ADDRESS, parts: ["hello"], nowMs: clock.nowMs() });
    await shows(["hello"]);
  });

  it("[CT-3] when a turn ends", async () => {
    const { turn, epoch } = await begun();
    const replies = [{ platform: "paper", address: ADDRESS, parts: ["an answer"] }];
    await works.store.settle({ turn, epoch, outcome: "completed", replies, nowMs: clock.nowMs() });
    await shows(["an answer"]);
  });

  it("[AP-1] when a turn asks", async () => {
    const { turn, epoch } = await begun();
    const pass = { turn, epoch, nowMs: clock.nowMs() };
    const body = { toolCalls: [{ id: "1", name: "danger", arguments: "{}" }] };
    const calls = [{ callId: "1", name: "danger", effect: "at-most-once", argsHash: "a".repeat(64) }] as const;
    const [call] = only("recorded", await works.store.recordStep({ ...pass, text: "", body, calls })).calls;
    const asking = { platform: "paper", address: ADDRESS, parts: ["May I?"] };
    await works.store.askApproval({ ...pass, call: call?.id as never, question: {}, asking });
    await shows(["May I?"]);
  });

  it("[GW-20] when a message finds its conversation expired", async () => {
    const { input } = only("admitted", await works.store.admit(inbound("one", clock.nowMs() - 2 * HOUR_MS)));
    await works.store.cancelInput({ input, reason: "withdrawn", nowMs: clock.nowMs() - 2 * HOUR_MS });
    await works.store.admit(inbound("two", clock.nowMs()));
    await shows(["A new one."]);
  });

  it("[CT-9] when a message finds its chat set aside", async () => {
    const { conversation } = only("admitted", await works.store.admit(inbound("one", clock.nowMs())));
    await works.store.suspendRoutes({ conversation, reason: "it ended the host three times" });
    await works.store.admit(inbound("two", clock.nowMs()));
    await shows([/set aside/]);
  });

  it("[GW-6] when a command has run", async () => {
    await paper.hear("/status");
    await shows([/./]);
  });

  it("[GW-3] [GW-5] when somebody is shown a code, and when they are let in", async () => {
    await paper.hear("hello", { sender: { id: "9", name: "Bo" } });
    await shows([/pairing code/]);
    const code = /code: ([0-9A-Z]{8})/.exec(paper.shown()[0] ?? "")?.[1] ?? "";
    const approved = await works.store.approvePairing({ code, role: "member", by: "test", nowMs: clock.nowMs() });
    only("approved", approved);
    await shows([/pairing code/, /./]);
  });

  it("[GW-11] when the host that was asked for is there", async () => {
    const nowMs = clock.nowMs();
    await works.store.enqueueJob({ kind: "tell", key: "1", payload: {}, dueMs: nowMs });
    const [job] = await works.store.claimJobs({ host: HOST, kinds: ["tell"], limit: 1, nowMs });
    await works.store.tellJob({ job: job?.id as never, address: ADDRESS, text: "Back again.", nowMs });
    await shows(["Back again."]);
  });
});

/** A turn of the chat that nobody runs. */
async function begun(): Promise<ClaimedTurn> {
  const { conversation } = only("admitted", await works.store.admit(inbound("one", clock.nowMs())));
  return only("claimed", await works.store.claim({ conversation, host: HOST, nowMs: clock.nowMs() }));
}

function openWorks(): HostWorks {
  const log = createLogger({ path: "/dev/null", clock });
  const { store } = openInlineStore({ path: home.stateDb, newId: seededIds(1), clock });
  const wish: HostWish = {
    home,
    clock,
    version: "0.0.0",
    signal: new AbortController().signal,
    env: {},
    config: loadConfig(home, {}),
    log,
    stays: true,
    gateway: { onOpen: () => undefined, onPutOff: () => undefined },
    onBroken: (error) => void bugs.push(error),
    onStopping: () => undefined,
  };
  const extensions = createExtensions(wish, store, HOST);
  extensions.leaveClosed();
  const opened = {
    store,
    host: HOST,
    epoch: 1,
    startedMs: clock.nowMs(),
    mode: { kind: "normal" } as const,
    isAfterCrash: false,
    noteEnd: async () => undefined,
    release: () => undefined,
  };
  const events = {
    extensions: { ...extensions, platforms: () => [paper.kind()] },
    control: {} as never,
    onTurnEnded: () => undefined,
    onRestart: () => undefined,
  };
  return assemble(wish, opened, events);
}

function inbound(text: string, nowMs: number): Inbound {
  return {
    platform: "paper",
    account: "main",
    eventId: text,
    to: { kind: "route", key: KEY, chatType: "dm", policy: { mode: "idle", atHour: 0, idleMinutes: 60 } },
    address: ADDRESS,
    author: { account: "42" },
    text,
    start: { source: "paper" },
    onReset: { idle: "A new one.", daily: "A new day." },
    nowMs,
  };
}

async function shows(expected: readonly (string | RegExp)[]): Promise<void> {
  const wanted = expected.map((one) => (typeof one === "string" ? one : expect.stringMatching(one)));
  await expect.poll(() => paper.shown()).toEqual(wanted);
}

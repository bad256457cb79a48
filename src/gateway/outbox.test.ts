import { afterEach, describe, expect, it } from "vitest";
import type { HostId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { type PlatformKind, PlatformRefusal } from "#platform/platform.js";
import { HOUR_MS } from "../../test/support/manual-clock.js";
import { PAPER_LIMITS, PaperPlatform, paperAccount } from "../../test/support/paper-platform.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import { AccountLine } from "./account-line.js";
import { createOutbox, type Outbox } from "./outbox.js";
import { SECOND_COPY } from "./words.js";

const opened: { scene: RuntimeScene; stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { scene, stop } of opened.splice(0)) {
    await stop();
    scene.remove();
  }
});

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await isSo()) return;
    await breath();
  }
  expect(await isSo()).toBe(true);
}

interface Post {
  readonly scene: RuntimeScene;
  readonly paper: PaperPlatform;
  readonly outbox: Outbox;
  readonly line: AccountLine;
  readonly dead: string[];
  owe(parts: string[], chatId?: string): Promise<void>;
  /** A new process over the same store and the same paper. */
  next(): Post;
}

function post(
  more: { kind?: Partial<PlatformKind>; paper?: PaperPlatform; scene?: RuntimeScene; host?: string } = {},
): Post {
  const scene = more.scene ?? new RuntimeScene({ models: [scriptedModel([])] });
  const paper = more.paper ?? new PaperPlatform();
  const { clock } = scene;
  const log = createLogger({ path: `${scene.folder}/gateway.log`, clock });
  const host = (more.host ?? "host-a") as HostId;
  const dead: string[] = [];
  const line: AccountLine = new AccountLine(paperAccount(paper.kind(more.kind)), {
    clock,
    log,
    receiver: () => ({
      message: async () => undefined,
      press: async () => "",
      up: () => undefined,
      down: () => undefined,
    }),
    cursors: async () => new Map(),
    menu: () => [],
    onUp: () => outbox.poke(),
  });
  const { store } = scene;
  const outbox: Outbox = createOutbox({
    store,
    host,
    clock,
    log,
    lines: () => [line],
    mayLeave: async (path) => ({ kind: "may-leave", path }),
    preview: async () => undefined,
    notices: { of: (_due, why) => void dead.push(why), kept: () => undefined },
  });
  outbox.start();
  line.start();
  const stop = async (): Promise<void> => {
    await Promise.race([outbox.stop(0), breath()]);
    await Promise.race([line.stop(), breath()]);
  };
  opened.push({ scene, stop });
  return {
    scene,
    paper,
    outbox,
    line,
    dead,
    async owe(parts, chatId = "1") {
      const address = { platform: "paper", account: "main", chatType: "dm", chatId };
      await store.oweDelivery({ platform: "paper", address, parts, nowMs: clock.nowMs() });
      outbox.poke();
    },
    next() {
      void stop();
      return post({ ...more, scene, paper, host: `host-${host}` });
    },
  };
}

/** Lets time pass, with room for what each moment sets off. */
async function pass({ scene }: Post, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    scene.clock.advance(Math.min(500, left));
    for (let i = 0; i < 20; i++) await breath();
  }
}

describe("the outbox", () => {
  it("[CT-3] sends the parts of one chat in order, with the pace of the platform, and chats beside each other", async () => {
    const at = post();
    await at.owe(["one", "two"], "1");
    await at.owe(["other"], "2");
    await until(() => at.paper.sheet.length === 2);
    expect(at.paper.shown("1")).toEqual(["one"]);
    expect(at.paper.shown("2")).toEqual(["other"]);
    await pass(at, PAPER_LIMITS.chatEveryMs);
    await until(() => at.paper.sheet.length === 3);
    expect(at.paper.shown("1")).toEqual(["one", "two"]);
  });

  it("[CT-3] tries again when the platform says, not before, and goes on with the part it was at", async () => {
    const at = post();
    at.paper.fates.push({ kind: "retry", afterMs: 60_000, why: "slow down" });
    await at.owe(["one", "two"]);
    await until(() => at.paper.attempts.length === 1);
    await pass(at, 55_000);
    expect(at.paper.attempts).toHaveLength(1);
    await pass(at, 10_000);
    await until(() => at.paper.sheet.length === 2);
    expect(at.paper.shown()).toEqual(["one", "two"]);
  });

  it("[CT-4] sends one marked copy of what may have arrived, and no more", async () => {
    const at = post();
    at.paper.fates.push("lost");
    await at.owe(["one"]);
    await pass(at, 5_000);
    await until(() => at.paper.sheet.length === 2);
    expect(at.paper.shown()).toEqual(["one", `${SECOND_COPY}\none`]);
    await pass(at, HOUR_MS / 60);
    expect(at.paper.sheet).toHaveLength(2);
  });

  it("[CT-4] sends nothing again that it finds on the platform", async () => {
    const paper = new PaperPlatform();
    paper.found = ({ id }) => {
      const there = paper.sheet.find(({ outgoing }) => outgoing.id === id);
      return there === undefined ? { kind: "absent" } : { kind: "found", receipt: there.receipt };
    };
    const at = post({ paper });
    at.paper.fates.push("lost", { kind: "unknown", why: "cut" });
    await at.owe(["one"]);
    await at.owe(["two"], "2");
    await pass(at, 5_000);
    await until(() => at.paper.sheet.length === 2);
    // The second was proven absent: its copy is the only one and carries no mark.
    expect(at.paper.shown("1")).toEqual(["one"]);
    expect(at.paper.shown("2")).toEqual(["two"]);
  });

  it("[CT-4] marks nothing where a repeated id is the same message", async () => {
    const at = post({ kind: { isIdempotent: true } });
    at.paper.fates.push({ kind: "unknown", why: "cut" });
    await at.owe(["one"]);
    await pass(at, 5_000);
    expect(at.paper.shown()).toEqual(["one"]);
    expect(new Set(at.paper.attempts.map(({ id }) => id)).size).toBe(1);
  });

  it("[CT-4] marks what a dead host had on its way, and continues at the next part", async () => {
    const before = post();
    before.paper.fates.push(() => new Promise(() => undefined));
    await before.owe(["one", "two"]);
    await until(() => before.paper.attempts.length === 1);
    const after = before.next();
    await pass(after, 10_000);
    await until(() => after.paper.sheet.length === 2);
    expect(after.paper.shown()).toEqual([`${SECOND_COPY}\none`, "two"]);
  });

  it("[CT-3] gives up on what is refused for good, tells it once, and goes on with the line", async () => {
    const at = post();
    at.paper.fates.push({ kind: "retry", afterMs: 1, why: "busy" }, { kind: "refused", why: "blocked" });
    await at.owe(["one", "two"]);
    await pass(at, 5_000);
    await until(() => at.line.standing().sent === 1);
    expect(at.paper.shown()).toEqual(["two"]);
    expect(at.dead).toEqual(["blocked"]);
    // Messages are counted, not attempts.
    expect(at.line.standing()).toMatchObject({ sent: 1, failed: 1 });
  });

  it("[CT-4] gives up on a line that swallows every copy", async () => {
    const at = post();
    for (let i = 0; i < 20; i++) at.paper.fates.push({ kind: "unknown", why: "cut" });
    await at.owe(["one"]);
    await pass(at, 10 * 60_000);
    expect(at.paper.attempts.length).toBe(5);
    expect(at.dead).toHaveLength(1);
    await until(() => at.line.standing().failed === 1);
  });

  it("[GW-16] keeps the slower pace of groups where the platform has one", async () => {
    const at = post({ kind: { limits: { ...PAPER_LIMITS, groupEveryMs: 5_000 } } });
    const address = { platform: "paper", account: "main", chatType: "group", chatId: "g" };
    await at.scene.store.oweDelivery({
      platform: "paper",
      address,
      parts: ["one", "two"],
      nowMs: at.scene.clock.nowMs(),
    });
    at.outbox.poke();
    await until(() => at.paper.shown("g").length === 1);
    await pass(at, 4_000);
    expect(at.paper.shown("g")).toEqual(["one"]);
    await pass(at, 2_000);
    expect(at.paper.shown("g")).toEqual(["one", "two"]);
  });

  it("[GW-16] waits with everything when the platform asks for that", async () => {
    const at = post();
    at.paper.fates.push({ kind: "retry", afterMs: 20_000, why: "flood", scope: "platform" });
    await at.owe(["one"]);
    await until(() => at.paper.attempts.length === 1);
    await at.owe(["other"], "2");
    await pass(at, 15_000);
    expect(at.paper.attempts).toHaveLength(1);
    await pass(at, 10_000);
    expect(at.paper.sheet).toHaveLength(2);
  });

  it("[GW-17] [CT-3] keeps what is owed while a platform is down, and sends it when it is back", async () => {
    const paper = new PaperPlatform();
    paper.openings.push(new Error("no route"), new PlatformRefusal("wrong token", "make another"));
    const at = post({ paper });
    await at.owe(["one"]);
    await pass(at, 10_000);
    expect(at.paper.sheet).toEqual([]);
    await pass(at, 16 * 60_000);
    await until(() => at.paper.sheet.length === 1);
    expect(at.paper.attempts[0]).toMatchObject({ text: "one" });
  });

  it("[GW-16] is not held up by a clock that was set back", async () => {
    const at = post();
    at.paper.fates.push({ kind: "retry", afterMs: 2_000, why: "later" });
    await at.owe(["one"]);
    await until(() => at.paper.attempts.length === 1);
    at.scene.clock.jump(-24 * HOUR_MS);
    await pass(at, 10_000);
    expect(at.paper.shown()).toEqual(["one"]);
    const after = at.next();
    at.scene.clock.jump(-24 * HOUR_MS);
    await after.owe(["two"]);
    await pass(after, 31_000);
    expect(after.paper.shown()).toEqual(["one", "two"]);
  });

  it("[GW-16] never sends faster than the platform allows", async () => {
    const at = post({ kind: { limits: { ...PAPER_LIMITS, perSecond: 5 } } });
    for (let chat = 0; chat < 40; chat++) await at.owe([`to ${chat}`], String(chat));
    for (let i = 0; i < 50; i++) await breath();
    expect(at.paper.sheet.length).toBeLessThanOrEqual(5);
    await pass(at, 2_000);
    expect(at.paper.sheet.length).toBeLessThanOrEqual(16);
    await pass(at, 8_000);
    expect(at.paper.sheet).toHaveLength(40);
  });
});

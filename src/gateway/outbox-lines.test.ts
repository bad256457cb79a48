import { afterEach, describe, expect, it } from "vitest";
import type { HostId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { PlatformKind } from "#platform/platform.js";
import type { SessionStore } from "#session/store.js";
import { HOUR_MS } from "../../test/support/manual-clock.js";
import { NO_RECEIVER, PaperPlatform, paperAccount } from "../../test/support/paper-platform.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import { AccountLine } from "./account-line.js";
import { createOutbox, type Outbox } from "./outbox.js";

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Several accounts over one store; each has paper of its own. */
class Lines {
  readonly scene = new RuntimeScene({ models: [scriptedModel([])] });
  readonly papers = new Map<string, PaperPlatform>();
  readonly dead: string[] = [];
  looks = 0;
  #outbox: Outbox | undefined;
  #lines: AccountLine[] = [];
  #hosts = 0;

  /** The next process, with these accounts: `platform/name`. */
  open(names: readonly string[], kinds: Readonly<Record<string, Partial<PlatformKind>>> = {}): void {
    this.close();
    const { clock } = this.scene;
    const log = createLogger({ path: `${this.scene.folder}/gateway.log`, clock });
    this.#lines = names.map((full) => this.#line(full, kinds[full] ?? {}, log));
    this.#outbox = createOutbox({
      store: this.#counting(),
      host: `host-${++this.#hosts}` as HostId,
      clock,
      log,
      lines: () => this.#lines,
      mayLeave: async (path) => ({ kind: "may-leave", path }),
      preview: async () => undefined,
      notices: { of: (_due, why) => void this.dead.push(why), kept: () => undefined },
    });
    this.#outbox.start();
    for (const line of this.#lines) line.start();
  }

  paper(full: string): PaperPlatform {
    const paper = this.papers.get(full) ?? new PaperPlatform();
    this.papers.set(full, paper);
    return paper;
  }

  async owe(full: string, chatId: string, text: string): Promise<void> {
    const [platform = "", account = ""] = full.split("/");
    const address = { platform, account, chatType: "dm", chatId };
    await this.scene.store.oweDelivery({ platform, address, parts: [text], nowMs: this.scene.clock.nowMs() });
    this.#outbox?.poke();
  }

  /** Lets time pass in steps; each has room for what it sets off. */
  async pass(ms: number, stepMs = 500): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.scene.clock.advance(Math.min(stepMs, left));
      for (let i = 0; i < 20; i++) await breath();
    }
  }

  close(): void {
    void this.#outbox?.stop(0);
    for (const line of this.#lines) void line.stop();
  }

  #line(full: string, kind: Partial<PlatformKind>, log: ReturnType<typeof createLogger>): AccountLine {
    const [platform = "", name = ""] = full.split("/");
    const account = paperAccount(this.paper(full).kind({ name: platform, ...kind }), { name });
    return new AccountLine(account, {
      clock: this.scene.clock,
      log,
      receiver: () => NO_RECEIVER,
      cursors: async () => new Map(),
      menu: () => [],
      onUp: () => this.#outbox?.poke(),
    });
  }

  /** Counts how often the store is asked for something to send. */
  #counting(): SessionStore {
    const { store } = this.scene;
    return {
      ...store,
      claimDeliveries: (args) => {
        this.looks++;
        return store.claimDeliveries(args);
      },
    };
  }
}

const opened: Lines[] = [];
afterEach(async () => {
  for (const lines of opened.splice(0)) {
    lines.close();
    await breath();
    lines.scene.remove();
  }
});

function lines(): Lines {
  const made = new Lines();
  opened.push(made);
  return made;
}

describe("the outbox with several accounts", () => {
  it("[GW-16] rests while one platform is asked to wait and another has nothing to do", async () => {
    const at = lines();
    at.open(["paper/main", "quiet/main"]);
    await at.pass(500);
    at.paper("paper/main").fates.push({ kind: "retry", afterMs: HOUR_MS, why: "flood", scope: "platform" });
    await at.owe("paper/main", "1", "one");
    await at.pass(500);
    await at.owe("paper/main", "2", "two");
    await at.pass(500);
    at.looks = 0;
    await at.pass(2_000, 10);
    expect(at.looks).toBeLessThan(10);
  });

  it("[GW-17] rests while one account is down and another of its platform is up", async () => {
    const at = lines();
    at.paper("paper/down").openings.push(...Array.from({ length: 20 }, () => new Error("no route")));
    at.open(["paper/down", "paper/up"]);
    await at.owe("paper/down", "1", "one");
    await at.pass(500);
    at.looks = 0;
    await at.pass(2_000, 10);
    expect(at.looks).toBeLessThan(10);
    await at.owe("paper/up", "2", "two");
    await at.pass(1_000);
    expect(at.paper("paper/up").shown("2")).toEqual(["two"]);
    expect(at.paper("paper/up").shown("1")).toEqual([]);
  });

  it("[CT-4] tells apart what one account had on its way, however much another that is down had", async () => {
    const at = lines();
    at.open(["paper/down", "paper/up"]);
    await at.pass(500);
    const never = (): Promise<never> => new Promise(() => undefined);
    for (let i = 0; i < 50; i++) {
      at.paper("paper/down").fates.push(never);
      await at.owe("paper/down", `d${i}`, "lost");
    }
    await at.pass(3_000);
    expect(at.paper("paper/down").attempts).toHaveLength(50);
    at.paper("paper/up").fates.push(never);
    await at.owe("paper/up", "1", "one");
    await at.pass(500);
    expect(at.paper("paper/up").attempts).toHaveLength(1);
    at.paper("paper/down").openings.push(...Array.from({ length: 20 }, () => new Error("no route")));
    at.open(["paper/down", "paper/up"]);
    await at.pass(10_000);
    expect(at.paper("paper/up").shown("1")).toHaveLength(1);
  });

  it("[GW-23] [CT-4] keeps what an account that is gone has to send, for it and for no other", async () => {
    const at = lines();
    at.open(["paper/old"]);
    await at.pass(500);
    at.paper("paper/old").fates.push(() => new Promise(() => undefined));
    await at.owe("paper/old", "1", "one");
    await at.pass(500);
    await at.owe("paper/old", "1", "two");
    at.open(["paper/new", "paper/main"]);
    await at.pass(10_000);
    expect([at.paper("paper/new").attempts, at.paper("paper/main").attempts]).toEqual([[], []]);
    const { open } = await at.scene.store.outboxStanding({ limit: 0 });
    expect(open).toMatchObject([{ platform: "paper", account: "old", pending: 1, unknown: 1 }]);
    at.open(["paper/old"]);
    await at.pass(10_000);
    expect(at.paper("paper/old").shown("1")).toEqual([expect.stringContaining("one"), "two"]);
  });

  it("[GW-23] sends what names no account by the main one", async () => {
    const at = lines();
    at.open(["paper/other", "paper/main"]);
    await at.pass(500);
    const address = { platform: "paper", chatType: "dm", chatId: "1" };
    const nowMs = at.scene.clock.nowMs();
    await at.scene.store.oweDelivery({ platform: "paper", address, parts: ["one"], nowMs });
    await at.owe("paper/other", "2", "two");
    await at.pass(1_000);
    expect([at.paper("paper/main").shown("1"), at.paper("paper/other").shown("1")]).toEqual([["one"], []]);
  });

  it("[GW-17] sends on one platform while another is slow to say what arrived", async () => {
    const at = lines();
    at.paper("slow/main").found = () => ({ kind: "absent" });
    const slow: Partial<PlatformKind> = {
      open: async (settings, parts) => {
        const platform = await at.paper("slow/main").kind().open(settings, parts);
        return { ...platform, findSent: () => new Promise(() => undefined) };
      },
    };
    at.open(["slow/main", "paper/main"], { "slow/main": slow });
    await at.pass(500);
    for (let i = 0; i < 5; i++) {
      at.paper("slow/main").fates.push({ kind: "unknown", why: "cut" });
      await at.owe("slow/main", `${i}`, "lost");
    }
    await at.pass(1_000);
    await at.owe("paper/main", "1", "one");
    await at.pass(5_000);
    expect(at.paper("paper/main").shown("1")).toEqual(["one"]);
  });

  it("[CT-4] loses nothing that was put off several times when its sender dies", async () => {
    const at = lines();
    at.open(["paper/main"]);
    await at.pass(500);
    const paper = at.paper("paper/main");
    for (let i = 0; i < 6; i++) paper.fates.push({ kind: "retry", afterMs: 1_000, why: "busy" });
    paper.fates.push(() => new Promise(() => undefined));
    await at.owe("paper/main", "1", "one");
    await at.pass(125_000);
    expect(paper.attempts).toHaveLength(7);
    at.open(["paper/main"]);
    await at.pass(300_000);
    expect(paper.shown("1")).toEqual([expect.stringContaining("one")]);
    expect(at.dead).toEqual([]);
  });

  it("[CT-3] tries what was owed over a long absence more than once", async () => {
    const at = lines();
    await at.owe("paper/main", "1", "one");
    at.scene.clock.advance(5 * 24 * HOUR_MS);
    at.open(["paper/main"]);
    at.paper("paper/main").fates.push({ kind: "retry", afterMs: 1_000, why: "busy" });
    await at.pass(10_000);
    expect(at.paper("paper/main").shown("1")).toEqual(["one"]);
  });

  it("[GW-16] waits no longer than an hour for a platform that names no time that makes sense", async () => {
    const at = lines();
    at.open(["paper/main"]);
    await at.pass(500);
    const paper = at.paper("paper/main");
    paper.fates.push({ kind: "retry", afterMs: Number.NaN, why: "flood", scope: "platform" });
    await at.owe("paper/main", "1", "one");
    await at.pass(5_000);
    expect(paper.shown("1")).toEqual(["one"]);
    at.looks = 0;
    await at.pass(2_000, 10);
    expect(at.looks).toBeLessThan(10);
  });
});

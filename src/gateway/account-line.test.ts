import { afterEach, describe, expect, it } from "vitest";
import type { Platform, PlatformKind } from "#platform/platform.js";
import { GatewayScene } from "../../test/support/gateway-scene.js";
import { PaperPlatform, paperAccount } from "../../test/support/paper-platform.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import { OPEN_MS } from "./account-line.js";
import type { AccountState } from "./gateway.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.remove();
});

/** An account whose library hangs when it is opened, until the test says otherwise. */
class Hanging {
  readonly paper = new PaperPlatform();
  readonly #late: (() => void)[] = [];
  isHanging = true;
  opened = 0;
  runs = 0;

  kind(): PlatformKind {
    const inner = this.paper.kind({ name: "hanging" });
    return {
      ...inner,
      open: async (settings, parts) => {
        this.opened++;
        if (this.isHanging) await new Promise<void>((resolve) => this.#late.push(resolve));
        const platform = await inner.open(settings, parts);
        return { ...platform, run: (signal) => this.#run(platform, signal) };
      },
    };
  }

  /** What hung until now comes to be after all. */
  release(): void {
    for (const resolve of this.#late.splice(0)) resolve();
  }

  #run(platform: Platform, signal: AbortSignal): Promise<void> {
    this.runs++;
    return platform.run(signal);
  }
}

/** The one that hangs comes first. */
function besides(hanging: Hanging): { at: GatewayScene; paper: PaperPlatform; state: () => AccountState | undefined } {
  const paper = new PaperPlatform();
  const accounts = [hanging.kind(), paper.kind()].map((kind) => paperAccount(kind, { streams: false }));
  const at = new GatewayScene({ models: [scriptedModel([{ text: "hi" }])], parts: { accounts } });
  scenes.push(at);
  return { at, paper, state: () => at.gateway.standing()[0]?.state };
}

describe("an account whose opening never ends", () => {
  it("[GW-17] holds up neither the start nor another account", async () => {
    const hanging = new Hanging();
    const { at, paper, state } = besides(hanging);
    at.gateway.start();
    await at.until(() => at.gateway.standing()[1]?.state.kind === "up");
    expect(state()).toEqual({ kind: "starting" });
    await paper.hear("hello");
    for (let tries = 0; tries < 40 && paper.shown().length === 0; tries++) await at.pass(500);
    expect(paper.shown()).toEqual(["hi"]);
    expect(state()).toEqual({ kind: "starting" });
  });

  it("[GW-17] is given up when its time is over, told as down, and tried again with growing patience", async () => {
    const hanging = new Hanging();
    const { at, state } = besides(hanging);
    at.gateway.start();
    await at.until(() => at.gateway.standing()[1]?.state.kind === "up");
    await at.pass(OPEN_MS - 1_000);
    expect(state()).toEqual({ kind: "starting" });
    const why = "it was not open within 60 s";
    const sinceMs = at.scene.clock.nowMs() + 1_500;
    at.scene.clock.advance(1_500);
    await at.until(() => state()?.kind === "down");
    expect(state()).toEqual({ kind: "down", why, sinceMs, retryMs: 1_000 });
    for (const retryMs of [2_000, 5_000]) {
      const before = hanging.opened;
      // At once, as on a machine that slept: no opening in vain counts as a line that held.
      at.scene.clock.advance(OPEN_MS);
      await at.until(() => hanging.opened === before + 1);
      at.scene.clock.advance(OPEN_MS + 1_000);
      await at.until(() => (state() as { retryMs?: number }).retryMs === retryMs);
      expect(state()).toEqual({ kind: "down", why, sinceMs, retryMs });
    }
  });

  it("[GW-17] is run once when it opens at last, and not by what came too late", async () => {
    const hanging = new Hanging();
    const { at, state } = besides(hanging);
    at.gateway.start();
    await at.pass(OPEN_MS);
    expect(state()).toMatchObject({ kind: "down" });
    hanging.isHanging = false;
    hanging.release();
    await at.pass(500);
    expect(hanging).toMatchObject({ opened: 1, runs: 0 });
    await at.pass(1_000);
    await at.until(() => state()?.kind === "up");
    expect(hanging).toMatchObject({ opened: 2, runs: 1 });
  });
});

describe("an account that cannot be opened", () => {
  it("[GW-17] [CT-3] is tried for as long as it takes, and then sends what waited", async () => {
    const paper = new PaperPlatform();
    paper.openings.push(...Array.from({ length: 12 }, () => new Error("no route")));
    const accounts = [paperAccount(paper.kind(), { streams: false })];
    const at = new GatewayScene({ models: [scriptedModel([])], parts: { accounts } });
    scenes.push(at);
    const { store, clock } = at.scene;
    const address = { platform: "paper", account: "main", chatType: "dm", chatId: "1" };
    await store.oweDelivery({ platform: "paper", address, parts: ["hello"], nowMs: clock.nowMs() });
    at.gateway.start();
    for (let tries = 0; tries < 60 && paper.shown().length === 0; tries++) await at.pass(30_000);
    expect(paper.shown()).toEqual(["hello"]);
    expect(paper.opened).toBe(13);
  });
});

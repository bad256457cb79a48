/** The runner: every boundary told, in order, at least once, whatever a hook does; nobody waits for a hook. */
import { describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import { HOOK_ATTEMPTS_MAX } from "#session/boundary.js";
import { HookScene, settled, until } from "../../test/support/hook-scene.js";
import { HOOK_RETRY_MS } from "./delivery.js";
import { OBSERVER_TIME_MS } from "./hook.js";
import { GONE_TEXT, HOOK_LINES_AT_ONCE, HOOK_POLL_MS } from "./runner.js";

const forever = (): Promise<never> => new Promise(() => undefined);
const BOUNDARIES = ["on_session_start", "on_session_finalize"] as const;

describe("the runner", () => {
  it("[BH-3] tells what was committed, in order, with the key of each fact", async () => {
    const scene = new HookScene();
    const runner = scene.runner([scene.hook("a", BOUNDARIES)]);
    await runner.start();
    const conversation = await scene.say();
    await scene.end(conversation);
    runner.poke();
    await until(() => scene.heard.length === 2);
    expect(scene.names()).toEqual([...BOUNDARIES]);
    expect(scene.heard[0]?.payload).toMatchObject({ conversation_id: conversation, platform: "cli" });
    expect(new Set(scene.heard.map(({ key }) => key)).size).toBe(2);
    await settled();
    expect(scene.heard).toHaveLength(2);
  });

  it("[HK-3] finds by itself what nobody poked it about", async () => {
    const scene = new HookScene();
    const runner = scene.runner([scene.hook("a", BOUNDARIES)]);
    await runner.start();
    await settled();
    await scene.say();
    await settled();
    expect(scene.heard).toHaveLength(0);
    scene.clock.advance(HOOK_POLL_MS);
    await until(() => scene.heard.length === 1);
  });

  it("[BH-6] tries a hook that throws again, later each time, with the same key, and then goes on", async () => {
    const scene = new HookScene();
    const runner = scene.runner([
      scene.hook("plugin:bad", BOUNDARIES, ({ name }) => {
        if (name === "on_session_start") throw new Error("boom");
      }),
    ]);
    await runner.start();
    await scene.end(await scene.say());
    runner.poke();
    const atMs: number[] = [];
    while (!scene.names().includes("on_session_finalize")) {
      await settled();
      while (atMs.length < scene.names().length) atMs.push(scene.clock.nowMs());
      scene.clock.advance(HOOK_RETRY_MS);
    }
    const waits = atMs.slice(1, HOOK_ATTEMPTS_MAX).map((ms, at) => ms - (atMs[at] ?? 0));
    expect(waits.map((ms) => ms >= HOOK_RETRY_MS)).toEqual([true, true, true, true]);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(scene.names()).toEqual([...Array(HOOK_ATTEMPTS_MAX).fill("on_session_start"), "on_session_finalize"]);
    expect(new Set(scene.heard.slice(0, HOOK_ATTEMPTS_MAX).map(({ key }) => key)).size).toBe(1);
    const dead = scene.lines.filter(({ level }) => level === "error");
    expect(dead).toMatchObject([{ hook: "plugin:bad", event: "on_session_start", error: "boom", next: "dead" }]);
    expect(runner.failures().at(-1)).toMatchObject({ hook: "plugin:bad", error: "boom", isDead: true });
    expect((await scene.store.hookStanding({ limit: 9 })).failures).toMatchObject([{ subscriber: "plugin:bad" }]);
  });

  it("[BH-6] gives up on a hook that hangs when its time is over, and tells it so", async () => {
    const scene = new HookScene();
    let reason: unknown;
    const hanging = scene.hook("a", ["on_session_start"], (_event, signal) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return forever();
    });
    const runner = scene.runner([hanging]);
    await runner.start();
    await scene.say();
    runner.poke();
    await until(() => scene.heard.length === 1);
    scene.clock.advance(OBSERVER_TIME_MS);
    await until(() => runner.failures().length === 1);
    expect(reason).toBeInstanceOf(Error);
    expect(runner.failures()).toMatchObject([{ error: "it did not end within 60 s", isDead: false }]);
  });

  it("[HK-3] obeys a hook's own time limit", async () => {
    const scene = new HookScene();
    const runner = scene.runner([{ ...scene.hook("a", ["on_session_start"], forever), timeMs: 1_000 }]);
    await runner.start();
    await scene.say();
    runner.poke();
    await until(() => scene.heard.length === 1);
    scene.clock.advance(1_000);
    await until(() => runner.failures().length === 1);
  });

  it("[BH-6] lets no hook wait for one that hangs, however many conversations that one hangs for", async () => {
    const scene = new HookScene();
    const runner = scene.runner([scene.hook("hangs", BOUNDARIES, forever), scene.hook("well", BOUNDARIES)]);
    await runner.start();
    for (let n = 0; n < 3 * HOOK_LINES_AT_ONCE; n++) await scene.end(await scene.say());
    runner.poke();
    await until(() => scene.names("well").length === 6 * HOOK_LINES_AT_ONCE);
    expect(scene.names("hangs")).toHaveLength(HOOK_LINES_AT_ONCE);
  });

  it("[HK-3] lets a conversation for which a hook hangs hold up no other one", async () => {
    const scene = new HookScene();
    const first = await scene.say();
    const runner = scene.runner([
      scene.hook("a", ["on_session_start"], ({ payload }) =>
        payload["conversation_id"] === first ? forever() : undefined,
      ),
    ]);
    await runner.start();
    const second = await scene.say();
    runner.poke();
    await until(() => scene.heard.some(({ payload }) => payload["conversation_id"] === second));
  });

  it("[HK-3] has a line of one hook under way once at a time", async () => {
    const scene = new HookScene();
    let open = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const runner = scene.runner([
      scene.hook("a", BOUNDARIES, async () => {
        most = Math.max(most, ++open);
        await new Promise<void>((resolve) => release.push(resolve));
        open--;
      }),
    ]);
    await runner.start();
    await scene.end(await scene.say());
    runner.poke();
    await until(() => release.length === 1);
    await settled();
    expect(release).toHaveLength(1);
    release[0]?.();
    await until(() => release.length === 2);
    expect(most).toBe(1);
  });

  it("[HK-2] tells one fact by each of its names, the gateway's with the gateway's keys", async () => {
    const scene = new HookScene();
    const runner = scene.runner([scene.hook("a", ["on_session_finalize", "session:end", "session:start"])]);
    await runner.start();
    const conversation = await scene.say("hello", "agent:main:cli:dm:1");
    await scene.end(conversation, "agent:main:cli:dm:1");
    runner.poke();
    await until(() => scene.heard.length === 3);
    expect(scene.names()).toEqual(["session:start", "on_session_finalize", "session:end"]);
    const { payload, key } = scene.heard[2] ?? {};
    expect(payload).toEqual({
      platform: "cli",
      user_id: null,
      session_id: expect.any(String),
      conversation_id: conversation,
      session_key: "agent:main:cli:dm:1",
    });
    expect(key).not.toBe(scene.heard[1]?.key);
  });

  it("[HK-3] drops what a hook that is gone was owed, and says how much", async () => {
    const scene = new HookScene();
    const gone = scene.runner([scene.hook("gone", BOUNDARIES, forever)]);
    await gone.start();
    for (let n = 0; n < 3; n++) await scene.say();
    await scene.runner([scene.hook("here", BOUNDARIES)]).start();
    expect((await scene.store.stats({})).open.hooks).toBe(0);
    expect(scene.lines).toContainEqual({ level: "info", message: expect.stringContaining("gone"), count: 3 });
    expect(GONE_TEXT).toMatch(/no longer/);
  });

  it("[BH-6] goes on when the store was out for a moment", async () => {
    const scene = new HookScene();
    let outages = 2;
    const store = Object.assign(Object.create(scene.store) as typeof scene.store, {
      settleHook: (args: Parameters<typeof scene.store.settleHook>[0]) => {
        if (outages-- > 0) return Promise.reject(new OperationalError("store-busy", "after-delay", "busy"));
        return scene.store.settleHook(args);
      },
    });
    const runner = scene.runner([scene.hook("a", BOUNDARIES)], store);
    await runner.start();
    await scene.end(await scene.say());
    runner.poke();
    await until(() => outages === 1);
    for (let n = 0; n < 4; n++) {
      await settled();
      scene.clock.advance(1_000);
    }
    await until(() => scene.heard.length === 2);
  });
});

describe("stopping the runner", () => {
  it("[BH-9] [FQ-9] tells what is still to tell, and returns when that is done", async () => {
    const scene = new HookScene();
    const runner = scene.runner([scene.hook("a", BOUNDARIES)]);
    await runner.start();
    await scene.end(await scene.say());
    await runner.stop(60_000);
    expect(scene.names()).toEqual([...BOUNDARIES]);
    await scene.say();
    runner.poke();
    await settled();
    expect(scene.heard).toHaveLength(2);
  });

  it("[BH-9] [FQ-9] returns at its limit whatever hooks do, and the next host tells what was left", async () => {
    const scene = new HookScene();
    const first = scene.runner([scene.hook("a", BOUNDARIES, forever)]);
    await first.start();
    for (let n = 0; n < 50; n++) await scene.end(await scene.say());
    const stopped = first.stop(2_000);
    await until(() => scene.heard.length === HOOK_LINES_AT_ONCE);
    scene.clock.advance(2_000);
    await stopped;
    const before = scene.heard.length;
    const second = scene.runner([scene.hook("a", BOUNDARIES)]);
    await second.start();
    await until(() => scene.heard.length === before + 100);
    const again = scene.heard.slice(before);
    for (const cut of scene.heard.slice(0, before)) expect(again.filter(({ key }) => key === cut.key)).toHaveLength(1);
    expect((await scene.store.stats({})).open.hooks).toBe(0);
  });

  it("[BH-9] returns promptly also when a hook asks for it", async () => {
    const scene = new HookScene();
    let isOver = false;
    const runner = scene.runner([
      scene.hook("a", ["on_session_start"], async () => {
        await runner.stop(60_000);
        isOver = true;
      }),
    ]);
    await runner.start();
    await scene.say();
    runner.poke();
    await until(() => isOver);
  });

  it("[FQ-9] with no time at all cuts off what runs and takes nothing more", async () => {
    const scene = new HookScene();
    const runner = scene.runner([scene.hook("a", BOUNDARIES, forever)]);
    await runner.start();
    await scene.say();
    runner.poke();
    await until(() => scene.heard.length === 1);
    await runner.stop(0);
    expect(await scene.store.hookStanding({ limit: 9 })).toMatchObject({ late: [{ subscriber: "a" }] });
  });
});

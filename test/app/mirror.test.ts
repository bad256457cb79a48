import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepMirror, MIRROR_README, writeMirror } from "#app/mirror.js";
import type { Clock } from "#base/clock.js";
import { packageRoot } from "#base/package-root.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { ManualClock } from "../support/manual-clock.js";
import { removeFolder } from "../support/remove-folder.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-mirror-"));
  path = join(folder, "sessions.json");
});
afterEach(() => removeFolder(folder));

const NOW = Date.UTC(2026, 0, 15, 12);
const read = () => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

async function storeWith(routes: number): Promise<SessionStore> {
  const { store } = openInlineStore();
  await store.importConversation({
    id: "conversation-one",
    lineage: "import",
    source: "telegram",
    createdMs: NOW,
    activeMs: NOW,
    first: { id: "session-one", createdMs: NOW, openings: [] },
  });
  for (let n = 0; n < routes; n++) await addRoute(store, `agent:main:telegram:dm:${n}`);
  return store;
}

const addRoute = (store: SessionStore, key: string) =>
  store.importRoute({ key, session: "session-one", platform: "telegram", chatType: "dm", createdMs: NOW, usedMs: NOW });

/** The store, counting what is read of it. */
function counted(store: SessionStore, onPage?: () => void): { store: SessionStore; pages: number[] } {
  const pages: number[] = [];
  const routes: SessionStore["routes"] = async (args) => {
    const page = await store.routes(args);
    pages.push(page.length);
    onPage?.();
    return page;
  };
  return { store: { ...store, routes }, pages };
}

describe("the mirror", () => {
  it("[RI-14] begins with a sentence that says what it is and where sessions are", async () => {
    await writeMirror(await storeWith(1), path);
    const [first] = Object.entries(read());
    expect(first).toEqual(["_README", MIRROR_README]);
    for (const fact of ["routing index", "Every session lives in state.db", "talaria sessions list"])
      expect(MIRROR_README).toContain(fact);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("[RI-14] [RI-19] holds every route, whatever characters its key has", async () => {
    const store = await storeWith(1);
    const odd = 'agent:main:slack:group:C/ü:"日本":\u0001';
    await addRoute(store, odd);
    expect(await writeMirror(store, path)).toBe(2);
    expect(read()[odd]).toMatchObject({
      session_key: odd,
      session_id: "session-one",
      conversation_id: "conversation-one",
    });
  });

  it("[RI-15] is written in pages, by replacing the file", async () => {
    const { store, pages } = counted(await storeWith(1_203));
    expect(await writeMirror(store, path)).toBe(1_203);
    const before = statSync(path).ino;
    expect(Math.max(...pages)).toBeLessThanOrEqual(500);
    expect(pages.filter((size) => size > 0)).toEqual([500, 500, 203]);
    await writeMirror(store, path);
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(["sessions.json"]);
  });

  it("[RI-15] is written again only when routes changed, and rests a hundred times as long as writing took", async () => {
    const clock = new ManualClock(NOW);
    const rests: number[] = [];
    const watched: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: (delayMs) => clock.sleep(delayMs),
      after: (delayMs, act) => {
        rests.push(delayMs);
        return clock.after(delayMs, act);
      },
    };
    const { store, pages } = counted(await storeWith(3), () => clock.advance(200));
    const watch = keepMirror({ store, path, clock: watched, onError: (error) => expect.fail(String(error)) });
    const look = async (): Promise<number> => {
      const count = rests.length;
      clock.advance(rests.at(-1) ?? 0);
      await expect.poll(() => rests.length).toBe(count + 1);
      return rests.at(-1) ?? 0;
    };
    expect(await look()).toBe(2 * 200 * 100);
    expect(pages).toEqual([3, 0]);
    expect(await look()).toBe(5_000);
    expect(await look()).toBe(5_000);
    expect(pages).toHaveLength(2);
    await addRoute(store, "agent:main:telegram:dm:new");
    await look();
    expect(Object.keys(read())).toContain("agent:main:telegram:dm:new");
    await watch.stop();
  });

  it("[RI-18] that is damaged is replaced from the store", async () => {
    writeFileSync(path, '{"agent:main:telegram:dm:0": {"session_id": "for');
    const clock = new ManualClock(NOW);
    const watch = keepMirror({
      store: await storeWith(2),
      path,
      clock,
      onError: (error) => expect.fail(String(error)),
    });
    clock.advance(1);
    await expect.poll(() => readFileSync(path, "utf8").endsWith("}\n")).toBe(true);
    await watch.stop();
    expect(Object.keys(read()).filter((key) => !key.startsWith("_"))).toHaveLength(2);
  });

  it("[RI-15] is the old one or the new one, whole, when its writer is killed at any moment", async () => {
    const script = await bundleTs(join(packageRoot(), "test", "app", "support", "mirror-forever.ts"));
    let seen = 0;
    for (let round = 0; round < 12; round++) {
      const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout, "data");
      // Spread over the writer's rounds, each of which takes a few milliseconds.
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      child.kill("SIGKILL");
      await once(child, "exit");
      const keys = Object.keys(read());
      expect(keys[0]).toBe("_README");
      expect(keys).toHaveLength(2_002);
      seen++;
    }
    expect(seen).toBe(12);
  });
});

describe("the guide", () => {
  it("[RI-20] tells people who look into sessions.json where their sessions are", () => {
    const guide = readFileSync(join(packageRoot(), "docs", "guide", "sessions.md"), "utf8");
    expect(guide).toMatch(/`sessions\.json`.*is not where your sessions are.*`state\.db`.*`talaria sessions list`/s);
  });
});

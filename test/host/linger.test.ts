/** A host goes by itself when nobody needs it, and no client is lost in that moment. */
import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { hostPlace } from "#app/host/find-host.js";
import { systemClock } from "#base/clock.js";
import { hostCommand } from "#client/host-command.js";
import type { HostLine } from "#client/host-line.js";
import { type HostWish, reachHost } from "#client/start-host.js";
import { prepareHome } from "#config/home.js";
import { type ModelProcess, modelProcess } from "../cli/support/chat.js";
import { cleanEnv } from "../cli/support/run.js";
import { crashRecord, type HostHome, hostHome, isThere, until } from "./support/host-home.js";

let home: HostHome;
let model: ModelProcess | undefined;
afterEach(async () => {
  await home.remove();
  await model?.stop();
  model = undefined;
});

/** The long form is for a machine that has nothing else to do. */
const CYCLES = process.env["TALARIA_LONG"] === undefined ? 25 : 200;
const GONE_EVERY = 10;

function wish(env: NodeJS.ProcessEnv = {}): HostWish {
  return {
    place: hostPlace(home.paths),
    command: hostCommand(home.path),
    env: cleanEnv(home.path, { ...home.env, ...env }),
    clock: systemClock,
    client: "test",
    version: "0.0.1",
  };
}

/** The line of its first client: one that came before, and went, would let it go. */
async function firstLine(): Promise<HostLine> {
  const lines: HostLine[] = [];
  const connected = async (): Promise<boolean> => {
    const line = await home.line().catch(() => undefined);
    if (line !== undefined) lines.push(line);
    return line !== undefined;
  };
  await until(connected, "it listens");
  const [line] = lines;
  if (line === undefined) throw new Error("nobody answers");
  return line;
}

describe("a host that nobody needs", () => {
  it("[HO-8] goes after its linger, with its openings closed, and ends with 0", async () => {
    home = hostHome({ TALARIA_HOST_LINGER_SECONDS: "1" });
    const host = home.spawn({}, []);
    const line = await firstLine();
    const { session_id } = await line.call("session.create", {});
    await line.call("prompt.submit", { session_id, text: "hello" });
    await until(async () => (await home.json<{ working: number }>(["host", "status"])).working === 0, "it answered");
    line.close();
    expect((await host.done).code).toBe(0);
    expect(crashRecord(home)).toMatchObject({ running: null, lastEnd: { reason: "idle", cut: 0 } });
    const { sessions } = await home.json<{ sessions: { ended: { reason: string } | null }[] }>(["sessions", "list"]);
    expect(sessions).toMatchObject([{ ended: { reason: "shutdown" } }]);
  });

  it("[HO-8] stays while a client is there, and while a turn runs that nobody watches", async () => {
    model = await modelProcess([{ when: { user: "wait" }, text: "done", holdAfter: 0 }]);
    home = hostHome({ ...model.env, TALARIA_HOST_LINGER_SECONDS: "0" });
    const host = home.spawn({}, []);
    const line = await firstLine();
    await systemClock.sleep(500);
    const { session_id } = await line.call("session.create", {});
    await line.call("prompt.submit", { session_id, text: "wait for it" });
    await model.held();
    line.close();
    await systemClock.sleep(500);
    expect(home.logged("stopping")).toEqual([]);
    await model.go();
    expect((await host.done).code).toBe(0);
    const shown = await home.json<{ messages: { text: string }[] }>(["sessions", "show", session_id]);
    expect(shown.messages.map(({ text }) => text)).toEqual(["wait for it", "done"]);
    // Jobs keep it too: the title is made.
    expect((await home.json<{ sessions: { title: string }[] }>(["sessions", "list"])).sessions).toMatchObject([
      { title: "Scripted title" },
    ]);
  });

  it(`[HO-8] loses no client that comes in that moment, ${CYCLES} times`, async () => {
    home = hostHome({ TALARIA_HOST_LINGER_SECONDS: "0" });
    prepareHome(home.paths);
    const pids = new Set<number>();
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const { line, hello } = await reachHost(wish());
      pids.add(hello.pid);
      expect(await line.call("host.status", {})).toMatchObject({ pid: hello.pid });
      const isLast = cycle % GONE_EVERY === 0;
      // One that it has seen need not be waited for any more.
      if (isLast) await systemClock.sleep(100);
      line.close();
      // Now and then at once, now and then right when it goes, and at times when it is gone.
      if (isLast) await until(() => !isThere(hello.pid), "it goes");
      else await systemClock.sleep((cycle * 7) % 60);
    }
    expect(pids.size).toBeGreaterThan(1);
  }, 300_000);

  it("[HO-8] waits for whoever started it", async () => {
    home = hostHome({ TALARIA_HOST_LINGER_SECONDS: "0" });
    const host = home.spawn({}, []);
    await until(() => existsSync(home.paths.hostSocket), "it listens");
    await systemClock.sleep(1_000);
    const line = await firstLine();
    expect(await line.call("host.status", {})).toMatchObject({ pid: host.pid });
    line.close();
    expect((await host.done).code).toBe(0);
  });
});

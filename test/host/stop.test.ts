/** The end of a host: asked, signalled, forced or by itself; always within its limit, and nothing that was said is lost. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import type { HostLine } from "#client/host-line.js";
import { type ModelProcess, modelProcess } from "../cli/support/chat.js";
import { crashRecord, failedIn, type HostHome, hostHome, isThere, until } from "./support/host-home.js";

let home: HostHome;
let model: ModelProcess | undefined;
afterEach(async () => {
  await home.remove();
  await model?.stop();
  model = undefined;
});

/** Says something in a new conversation and answers its id; the turn runs. */
async function say(line: HostLine, text: string): Promise<string> {
  const { session_id } = await line.call("session.create", {});
  await line.call("prompt.submit", { session_id, text });
  return session_id;
}

describe("a host", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("[HO-4] ended by %s in order ends with %i", async (signal, code) => {
    home = hostHome();
    const host = await home.serve();
    host.child.kill(signal);
    expect((await host.done).code).toBe(code);
    expect(crashRecord(home)).toMatchObject({ running: null, lastEnd: { reason: signal } });
    expect(failedIn(crashRecord(home).lastEnd?.troubles)).toEqual([]);
  });

  it("[HO-4] that is signalled before it serves ends within its limit too", async () => {
    home = hostHome();
    const host = home.spawn();
    await until(
      () => home.logged("received a signal").length > 0 || host.child.kill("SIGTERM") === false,
      "it hears",
      5_000,
    ).catch(() => undefined);
    const { code, signal } = await host.done;
    // Before its own handlers stand, the system's rule holds: nothing was begun.
    expect([143, null]).toContain(code);
    if (code === null) expect(signal).toBe("SIGTERM");
  });

  it("[HO-4] that a client asked to stop ends with 0 and says what was open", async () => {
    home = hostHome();
    const host = await home.serve();
    const stopped = await home.json(["host", "stop"]);
    expect((await host.done).code).toBe(0);
    expect(stopped).toMatchObject({ wasRunning: true, pid: host.pid, how: "asked", report: { working: 0, cut: 0 } });
    expect(await home.json(["host", "stop"])).toMatchObject({ wasRunning: false });
  });

  it("[HO-5] that does not answer is told apart, and ended only by --force", async () => {
    home = hostHome();
    const host = await home.serve();
    host.child.kill("SIGSTOP");
    const status = await home.cli(["host", "status", "--json"]);
    expect([status.code, JSON.parse(status.stdout)]).toEqual([1, { running: true, state: "silent", pid: host.pid }]);
    const refused = await home.cli(["host", "stop"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--force")]);
    expect(isThere(host.pid)).toBe(true);
    expect(await home.json(["host", "stop", "--force"])).toMatchObject({ how: "killed", pid: host.pid });
    expect((await host.done).signal).toBe("SIGKILL");
    // It was ended on purpose.
    expect(crashRecord(home)).toMatchObject({ running: null, crashesMs: [] });
  });

  it("[HO-5] never ends a program that is no host", async () => {
    home = hostHome();
    const { holdHome } = await import("../cli/support/homes.js");
    const writer = await holdHome(home.path, {});
    const { code, stderr } = await home.cli(["host", "stop", "--force"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("no host")]);
    expect(isThere(writer.pid ?? 0)).toBe(true);
    expect(await home.json(["host", "status"])).toMatchObject({ state: "taken", pid: writer.pid });
    writer.kill("SIGKILL");
  });

  it("restarts as another process, and the old one ends in order", async () => {
    home = hostHome();
    const first = await home.serve();
    const restarted = await home.json<{ pid: number }>(["host", "restart"]);
    expect(restarted).toMatchObject({ started: true, restarted: true });
    expect(restarted.pid).not.toBe(first.pid);
    expect((await first.done).code).toBe(0);
    expect(crashRecord(home).running).toMatchObject({ pid: restarted.pid });
  });
});

describe("a turn that a stop cuts", () => {
  it("[HO-6] [CT-9] goes on with the next start, and counts no death, however often", async () => {
    model = await modelProcess([{ when: { user: "wait" }, text: "done after all", holdAfter: 0 }]);
    home = hostHome(model.env);
    let host = await home.serve();
    const line = await home.line();
    const id = await say(line, "wait for it");
    await until(async () => (await working(home)) === 1, "the turn runs");
    for (let time = 0; time < 4; time++) {
      host.child.kill("SIGTERM");
      expect((await host.done).code).toBe(143);
      expect(crashRecord(home).lastEnd).toMatchObject({ working: 1, cut: 1 });
      host = await home.serve();
      await until(async () => (await working(home)) === 1, "it goes on");
    }
    await model.go();
    await until(async () => (await working(home)) === 0, "it is over");
    expect(home.entries().filter(({ level }) => level === "error")).toEqual([]);
    const { messages } = await home.json<{ messages: { role: string; text: string }[] }>(["sessions", "show", id]);
    expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      "user: wait for it",
      "assistant: done after all",
    ]);
  }, 240_000);

  it("[HO-7] is not begun any more: what is said while the host stops is refused and not stored", async () => {
    model = await modelProcess([{ when: { user: "wait" }, text: "late", holdAfter: 0 }]);
    home = hostHome({ ...model.env, TALARIA_HOST_DRAIN_SECONDS: "60" });
    const host = await home.serve();
    const line = await home.line();
    const id = await say(line, "wait for it");
    await until(async () => (await working(home)) === 1, "the turn runs");
    const other = (await line.call("session.create", {})).session_id;
    host.child.kill("SIGTERM");
    await until(() => home.logged("stopping").length > 0, "it stops");
    await expect(line.call("prompt.submit", { session_id: other, text: "too late" })).rejects.toThrow(
      /stopping|shutting/i,
    );
    // It drains for as long as that takes: what ran is over when the model has spoken.
    await model.go();
    expect((await host.done).code).toBe(143);
    const { sessions } = await home.json<{ sessions: { id: string }[] }>(["sessions", "list"]);
    expect(sessions.map((session) => session.id)).toEqual([id]);
  });
});

describe("fifty live conversations and a hook that hangs for ever", () => {
  it("[FQ-9] [HO-4] end within the limit, and the next start tells every missed boundary", async () => {
    model = await modelProcess([{ when: { user: "wait" }, text: "late", holdAfter: 0 }]);
    home = hostHome({ ...model.env, TALARIA_ACCEPT_HOOKS: "1" });
    const script = join(home.path, "hook.sh");
    const told = join(home.path, "told");
    mkdirSync(told);
    const mayTell = join(home.path, "may-tell");
    writeFileSync(script, `#!/bin/sh\n[ -e ${mayTell} ] || exec sleep 600\ncat > ${told}/$$\n`);
    chmodSync(script, 0o755);
    writeFileSync(home.paths.config, `hooks:\n  on_session_finalize:\n    - command: ${script}\n      timeout: 300\n`);
    const host = await home.serve();
    const line = await home.line();
    const ids = await Promise.all(Array.from({ length: 50 }, (_, at) => say(line, `wait ${at}`)));
    await until(async () => (await working(home)) === 50, "all run");
    const startedMs = systemClock.monotonicMs();
    host.child.kill("SIGTERM");
    expect((await host.done).code).toBe(143);
    // The hook takes ten minutes.
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(60_000);
    expect(crashRecord(home).lastEnd).toMatchObject({ working: 50, cut: 50, openings: 50 });
    writeFileSync(mayTell, "");
    await home.serve();
    await until(() => finalized(told).size === 50, "every boundary is told", 60_000);
    expect([...finalized(told)].sort()).toEqual([...ids].sort());
  }, 240_000);
});

async function working(of: HostHome): Promise<number> {
  const line = await of.line();
  try {
    return (await line.call("host.status", {})).working;
  } finally {
    line.close();
  }
}

/** Each call of the hook has left a file. */
function finalized(folder: string): ReadonlySet<string> {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return new Set(texts.flatMap((text) => /"conversation_id":"(\w+)"/.exec(text)?.[1] ?? []));
}

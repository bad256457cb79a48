/** What ends a host against its will: a bug, a disk that fails, an event loop that hangs; each with its own code. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { packageRoot } from "#base/package-root.js";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { crashRecord, type HostHome, hostHome } from "./support/host-home.js";

let home: HostHome | undefined;
afterEach(async () => {
  await home?.remove();
  home = undefined;
});

/** Loaded before the program: what a signal then does in it. */
async function planted(
  act: string,
  signal = "SIGUSR2",
): Promise<{ readonly of: HostHome; readonly host: Awaited<ReturnType<HostHome["serve"]>> }> {
  const of = hostHome();
  home = of;
  const plant = join(of.path, "plant.cjs");
  writeFileSync(plant, `if (require("node:worker_threads").isMainThread) process.on("${signal}", () => { ${act} });`);
  return { of, host: await of.serve({ NODE_OPTIONS: `--require ${plant}` }) };
}

describe("a host", () => {
  it.each([
    ["an exception nobody caught", 'throw new Error("planted")'],
    ["a promise nobody waited for", 'Promise.reject(new Error("planted"))'],
  ])("[HO-4] that %s ends says so loudly, ends with 70, and counts as a crash", async (_, act) => {
    const { of, host } = await planted(act);
    host.child.kill("SIGUSR2");
    const { code, stderr } = await host.done;
    expect([code, stderr]).toEqual([70, expect.stringContaining("planted")]);
    expect(of.logged("the host ends because of a failure")).toMatchObject([{ level: "error", error: "planted" }]);
    await of.serve();
    expect(crashRecord(of).crashesMs).toHaveLength(1);
  });

  it("[HO-4] [FQ-9] whose event loop hangs as soon as it stops is ended all the same", async () => {
    const { host } = await planted("setImmediate(() => { for (;;); });", "SIGTERM");
    const startedMs = systemClock.monotonicMs();
    host.child.kill("SIGTERM");
    const { code, signal } = await host.done;
    expect([code, signal]).toEqual([null, "SIGKILL"]);
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(40_000);
  });
});

describe("a host that cannot open its doors", () => {
  it("[HO-4] says why, ends at once, lets go of the home, and counts as no crash", async () => {
    const of = hostHome();
    home = of;
    mkdirSync(of.paths.hostSocket, { recursive: true, mode: 0o700 });
    const { code, stderr } = await of.spawn().done;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/host\.sock cannot be listened on: a folder is in its place/),
    ]);
    expect(of.logged("the host could not be started")).toMatchObject([{ level: "error" }]);
    rmSync(of.paths.hostSocket, { recursive: true });
    await of.serve();
    expect(crashRecord(of).crashesMs).toEqual([]);
  });

  it("[HO-4] ends also when what it had begun does not let go", async () => {
    const of = hostHome();
    home = of;
    const plant = join(of.path, "plant.cjs");
    // A thread that nobody ends, as the store's are when its first step fails.
    writeFileSync(
      plant,
      `const { isMainThread, Worker } = require("node:worker_threads");
       if (isMainThread) new Worker("setInterval(() => {}, 1000)", { eval: true });`,
    );
    mkdirSync(of.paths.hostSocket, { recursive: true, mode: 0o700 });
    const { code } = await of.spawn({ NODE_OPTIONS: `--require ${plant}` }).done;
    expect(code).toBe(1);
  });
});

describe("the watchdog", () => {
  it("[HO-4] kills a process whose event loop never turns again", async () => {
    const script = await bundleTs(join(packageRoot(), "test", "host", "support", "hang.ts"));
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    const startedMs = systemClock.monotonicMs();
    const [code, signal] = (await ended) as [number | null, string | null];
    expect([code, signal]).toEqual([null, "SIGKILL"]);
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(40_000);
  });
});

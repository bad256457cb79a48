import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { systemClock } from "./clock.js";
import { packageRoot } from "./package-root.js";

describe("the system clock", () => {
  it("tells wall time, and a time that only goes forward", () => {
    const before = Date.now();
    expect(systemClock.nowMs()).toBeGreaterThanOrEqual(before);
    const times = Array.from({ length: 1_000 }, () => systemClock.monotonicMs());
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("runs an act after its delay, unless it is forgotten", async () => {
    const ran: string[] = [];
    const forget = systemClock.after(5, () => ran.push("forgotten"));
    await new Promise<void>((resolve) => {
      systemClock.after(10, () => {
        ran.push("ran");
        resolve();
      });
      forget();
    });
    expect(ran).toEqual(["ran"]);
  });

  it("sleeps at least as long as it was told", async () => {
    const start = systemClock.monotonicMs();
    await systemClock.sleep(20);
    // Timers count whole milliseconds.
    expect(systemClock.monotonicMs() - start).toBeGreaterThanOrEqual(19);
  });

  it("wakes at once with the signal's reason, also when it was aborted before", async () => {
    const reason = new Error("stop");
    const controller = new AbortController();
    const asleep = systemClock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(asleep).rejects.toBe(reason);
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toBe(reason);
  });

  it("never keeps a process alive for something that is only due later", async () => {
    const script = await bundleTs(join(packageRoot(), "test", "support", "idle-timer.ts"));
    const said = execFileSync(process.execPath, [script], { encoding: "utf8", timeout: 45_000 });
    expect(said).toBe("ended\n");
  });
});

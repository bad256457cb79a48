import { describe, expect, it } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.js";
import { createCalls } from "./calls.js";

function scene() {
  const clock = new ManualClock();
  const cancelled: number[] = [];
  const calls = createCalls(clock, (id) => cancelled.push(id));
  const ids: number[] = [];
  const open = (more: { graceMs?: number; signal?: AbortSignal; plugin?: string } = {}) => {
    const end = calls.open({ plugin: "a", timeMs: 1_000, graceMs: 0, ...more }, (id) => ids.push(id));
    return end.then(
      (value) => ({ value }),
      (error: { code: string }) => ({ code: error.code }),
    );
  };
  return { clock, cancelled, calls, ids, open };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("a call to the plugin host", () => {
  it("[PL-8] ends once, by what comes first", async () => {
    const { calls, ids, open, clock, cancelled } = scene();
    const answered = open();
    calls.answer(ids[0] ?? 0, 1);
    calls.fail(ids[0] ?? 0, "late");
    clock.advance(5_000);
    calls.endAll("gone");
    expect(await answered).toEqual({ value: 1 });
    await tick();
    expect(cancelled).toEqual([]);
    expect(calls.underWay()).toEqual([]);
  });

  it("[PL-8] is cancelled at its time, waited for a moment, then given up and counted until it answers", async () => {
    const { calls, ids, open, clock, cancelled } = scene();
    const late = open({ graceMs: 200 });
    clock.advance(1_000);
    await tick();
    expect(cancelled).toEqual(ids);
    expect(calls.underWay()).toEqual(["a"]);
    clock.advance(200);
    expect(await late).toEqual({ code: "plugin-late" });
    expect(calls.abandoned("a")).toBe(1);
    expect(calls.abandoned("b")).toBe(0);
    calls.answer(ids[0] ?? 0, "at last");
    expect(calls.abandoned("a")).toBe(0);
  });

  it("[PL-8] still takes the answer that comes within the moment", async () => {
    const { calls, ids, open, clock } = scene();
    const call = open({ graceMs: 200 });
    clock.advance(1_000);
    await tick();
    calls.answer(ids[0] ?? 0, "just so");
    expect(await call).toEqual({ value: "just so" });
  });

  it("[PL-8] ends at once when its caller is gone already", async () => {
    const { open, cancelled } = scene();
    expect(await open({ signal: AbortSignal.abort() })).toEqual({ code: "plugin-late" });
    expect(cancelled).toHaveLength(1);
  });

  it("[PL-10] ends with the process, each one once", async () => {
    const { calls, open } = scene();
    const all = [open(), open({ plugin: "b" }), open()];
    expect(calls.underWay()).toEqual(["a", "b"]);
    calls.endAll("gone");
    calls.endAll("gone");
    expect(await Promise.all(all)).toEqual(Array(3).fill({ code: "plugin-died" }));
  });
});

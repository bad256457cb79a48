import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { FIRST_CLIENT_MS, startLinger } from "./linger.js";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene(lingerMs: number) {
  const clock = new ManualClock();
  const state = { need: undefined as string | undefined, prepared: 0, left: 0, mayLeave: true };
  const linger = startLinger({
    clock,
    lingerMs,
    need: () => state.need,
    prepare: async () => {
      state.prepared++;
    },
    leave: async () => {
      state.left++;
      return state.mayLeave;
    },
  });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 20) {
      clock.advance(20);
      await settle();
    }
  };
  return { state, pass, linger };
}

describe("a host that lingers", () => {
  it("[HO-8] goes when nothing needed it for so long, after it prepared", async () => {
    const { state, pass } = scene(1_000);
    state.need = "clients";
    await pass(2_000);
    state.need = undefined;
    await pass(900);
    expect(state).toMatchObject({ prepared: 0, left: 0 });
    await pass(400);
    expect(state).toMatchObject({ prepared: 1, left: 1 });
    await pass(5_000);
    expect(state.left).toBe(1);
  });

  it("[HO-8] starts over when something needs it meanwhile, and stays while what it prepared is done", async () => {
    const { state, pass } = scene(1_000);
    state.need = "clients";
    await pass(200);
    state.need = undefined;
    await pass(800);
    state.need = "turns";
    await pass(200);
    state.need = undefined;
    await pass(900);
    expect(state.prepared).toBe(0);
    await pass(200);
    expect(state.prepared).toBe(1);
  });

  it("[HO-8] waits for whoever started it, however short its linger", async () => {
    const { state, pass } = scene(0);
    await pass(FIRST_CLIENT_MS - 100);
    expect(state.left).toBe(0);
    await pass(400);
    expect(state.left).toBe(1);
  });

  it("[HO-8] waits for whoever started it, also when it found something to do first", async () => {
    const { state, pass } = scene(0);
    state.need = "jobs";
    await pass(100);
    state.need = undefined;
    await pass(FIRST_CLIENT_MS - 200);
    expect(state.left).toBe(0);
    await pass(400);
    expect(state.left).toBe(1);
  });

  it("[HO-8] tries again when somebody came at the last moment", async () => {
    const { state, pass } = scene(0);
    state.need = "clients";
    await pass(100);
    state.need = undefined;
    state.mayLeave = false;
    await pass(200);
    expect(state.left).toBeGreaterThan(1);
    state.mayLeave = true;
    await pass(200);
    const { left } = state;
    await pass(1_000);
    expect(state.left).toBe(left);
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HookScene } from "../../test/support/hook-scene.js";
import { LEDGER_ROWS_MAX, openLedger, readLedger } from "./ledger.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ledger-"));
  path = join(folder, "failures.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const open = (names: readonly string[] = ["guard"]) => {
  const scene = new HookScene();
  const hooks = names.map((name) => ({ name }));
  return { scene, ledger: openLedger({ path, clock: scene.clock, log: scene.log, hooks }) };
};
const failed = (error: string) => ({ kind: "failed", error }) as const;

describe("the failures of hooks that are asked", () => {
  it("[HK-4] outlive the host, newest words and how often in a row", async () => {
    const { ledger } = open();
    ledger.note("guard", "pre_tool_call", failed("boom"));
    ledger.note("guard", "pre_tool_call", failed("it did not end within 5 s"));
    await ledger.close();
    expect(readLedger(path)).toMatchObject([{ hook: "guard", error: "it did not end within 5 s", times: 2 }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { ledger: next } = open();
    next.note("guard", "pre_tool_call", failed("boom"));
    await next.close();
    expect(readLedger(path)).toMatchObject([{ times: 3 }]);
  });

  it("end when the hook answers again, and are not touched by one that was cut", async () => {
    const { ledger } = open();
    ledger.note("guard", "pre_tool_call", failed("boom"));
    ledger.note("guard", "pre_llm_call", failed("bang"));
    ledger.note("guard", "pre_tool_call", { kind: "abandoned" });
    ledger.note("guard", "pre_llm_call", { kind: "answered", answer: undefined });
    await ledger.close();
    expect(readLedger(path).map(({ event }) => event)).toEqual(["pre_tool_call"]);
  });

  it("are forgotten for hooks that are gone, and bounded", async () => {
    const names = Array.from({ length: LEDGER_ROWS_MAX + 3 }, (_, at) => `h${at}`);
    const { ledger } = open(names);
    for (const name of names) ledger.note(name, "pre_tool_call", failed("boom"));
    await ledger.close();
    expect(readLedger(path)).toHaveLength(LEDGER_ROWS_MAX);
    expect(readLedger(path)[0]?.hook).toBe("h3");
    const { ledger: next } = open(["h5"]);
    next.note("h5", "pre_tool_call", failed("boom"));
    await next.close();
    expect(readLedger(path).map(({ hook }) => hook)).toEqual(["h5"]);
  });

  it("write nothing while everybody answers, and are read from no broken file", async () => {
    const { ledger } = open();
    ledger.note("guard", "pre_tool_call", { kind: "answered", answer: undefined });
    await ledger.close();
    expect(() => readFileSync(path)).toThrow(/ENOENT/);
    writeFileSync(path, '{"failures":[{"hook":1},');
    expect(readLedger(path)).toEqual([]);
  });

  it("that cannot be written are logged, and nobody waits", async () => {
    rmSync(folder, { recursive: true });
    const { ledger, scene } = open();
    ledger.note("guard", "pre_tool_call", failed("boom"));
    await ledger.close();
    expect(scene.lines).toMatchObject([{ level: "warn", message: "failures of hooks could not be written down" }]);
  });
});

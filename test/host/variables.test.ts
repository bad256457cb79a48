/** A host keeps the variables of whoever started it; who comes with others gets a host with theirs, or is told. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { marksOf } from "#app/host/variable-marks.js";
import { hostHome, isThere, until } from "./support/host-home.js";

let home: ReturnType<typeof hostHome>;
beforeEach(() => {
  home = hostHome({ TALARIA_HOST_LINGER_SECONDS: "20" });
});
afterEach(() => home.remove());

const KEY = { OPENAI_API_KEY: "sk-mine-alone", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
const mine = { TALARIA_MODEL: "openai/gpt-x", ...KEY };
const hostPid = async (): Promise<number> => (await home.json<{ pid: number }>(["host", "status"])).pid;

describe("variables of the shell beside a running host", () => {
  it("reach an idle host by way of a new one, and nothing is said", async () => {
    const first = await home.serve({}, []);
    const run = await home.cli(["chat", "-q", "hello"], { TALARIA_MODEL: "demo/other" });
    expect(run.stderr).not.toMatch(/other variables/);
    expect(await hostPid()).not.toBe(first.pid);
    await until(() => !isThere(first.pid), "the first one is gone");
    const again = await home.cli(["chat", "-q", "hello"], { TALARIA_MODEL: "demo/other" });
    expect(again.code).toBe(0);
    expect(home.logged("stopping").map(({ reason }) => reason)).toEqual(["variables"]);
  });

  it("make the model that was named answer, not the demo model", async () => {
    await home.serve({}, []);
    const { stdout, stderr } = await home.cli(["chat", "-q", "hello", "--json"], {
      ...mine,
      TALARIA_AGENT_RETRIES_MAX: "0",
    });
    expect(stdout + stderr).toMatch(/gpt-x/);
    expect(stdout).not.toMatch(/demo model/);
  });

  it("leave a host alone that somebody else needs, and are told once by name", async () => {
    const host = await home.serve({}, []);
    const other = await home.line();
    const run = await home.cli(["chat", "-q", "hello"], mine);
    expect(run.code).toBe(0);
    expect(run.stderr.match(/other variables[^\n]*/g)).toEqual([
      expect.stringMatching(/: OPENAI_API_KEY, OPENAI_BASE_URL, TALARIA_MODEL; talaria host restart/),
    ]);
    expect(await hostPid()).toBe(host.pid);
    other.close();
  });

  it("leave a host alone that is to stay", async () => {
    const host = await home.serve();
    const run = await home.cli(["chat", "-q", "hello"], mine);
    expect(run.stderr).toMatch(/other variables/);
    expect(await hostPid()).toBe(host.pid);
  });

  it("are told by doctor, models and host start", async () => {
    await home.serve();
    const { checks } = await home.json<{ checks: { check: string; verdict: string; text: string }[] }>(
      ["doctor"],
      mine,
    );
    expect(checks.filter(({ check }) => check === "host")).toEqual([
      expect.objectContaining({ verdict: "warn", text: expect.stringContaining("OPENAI_API_KEY") }),
    ]);
    for (const words of [["models"], ["host", "start"]]) {
      expect((await home.cli(words, mine)).stderr).toMatch(/other variables.*TALARIA_MODEL/s);
      expect((await home.cli(words)).stderr).toBe("");
    }
  });

  it("are never logged, and neither are their marks", async () => {
    await home.serve({ ...KEY, TALARIA_LOGS_LEVEL: "debug" });
    await home.cli(["chat", "-q", "hello"], mine);
    const log = readFileSync(home.paths.logFile, "utf8");
    for (const secret of ["sk-mine-alone", ...Object.values(marksOf({ ...mine }))]) expect(log).not.toContain(secret);
  });
});

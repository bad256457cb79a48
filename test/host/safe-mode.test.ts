/** A crash loop: the host that follows too many crashes answers, and runs nothing until a person or time says so. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type HostHome, hostHome } from "./support/host-home.js";

let home: HostHome;
afterEach(() => home.remove());

const COUNTED = { TALARIA_HOST_CRASHES_MAX: "3" };

async function crash(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    expect((await home.spawn({ TALARIA_FAULT: "host.listening" }).done).signal).toBe("SIGKILL");
  }
}

describe("after too many crashes", () => {
  it("[HO-9] a host answers, says why it runs nothing, and stores nothing it would not answer", async () => {
    home = hostHome(COUNTED);
    await crash(3);
    await home.serve();
    const line = await home.line();
    expect(await line.call("host.status", {})).toMatchObject({ state: "safe-mode", safe_mode: { crashes: 3 } });
    expect(await line.call("session.list", {})).toMatchObject({ sessions: [] });
    const { session_id } = await line.call("session.create", {});
    await expect(line.call("prompt.submit", { session_id, text: "hello" })).rejects.toThrow(
      /crashed 3 times.*--reset/s,
    );
    line.close();
    const { code, stdout, stderr } = await home.cli(["host", "status"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("safe mode")]);
    expect(stdout + stderr).toContain("talaria host restart --reset");
    const doctor = await home.json<{ checks: { check: string; verdict: string; text: string }[] }>(["doctor"]);
    expect(doctor.checks.find(({ check }) => check === "host")).toMatchObject({ verdict: "warn" });
    expect(await home.json(["sessions", "list"])).toMatchObject({ sessions: [] });
  });

  it("[HO-9] a host loads no plugin and calls no hook: they may be what crashes it", async () => {
    home = hostHome(COUNTED);
    const loaded = join(home.path, "loaded");
    const plugin = join(home.paths.plugins, "killer");
    mkdirSync(plugin, { recursive: true });
    writeFileSync(join(plugin, "plugin.yaml"), "name: killer\n");
    writeFileSync(join(plugin, "index.ts"), "export function register(): void {}\n");
    expect(await home.cli(["plugins", "enable", "killer"])).toMatchObject({ code: 0 });
    writeFileSync(
      join(plugin, "index.ts"),
      `import { appendFileSync } from "node:fs";
       export function register(): void {
         appendFileSync(${JSON.stringify(loaded)}, "x");
         process.kill(process.ppid, "SIGKILL");
       }`,
    );
    for (let time = 0; time < 3; time++) expect((await home.spawn().done).signal).toBe("SIGKILL");
    const times = readFileSync(loaded, "utf8").length;
    const host = await home.serve();
    const line = await home.line();
    const { notes } = await line.call("host.hello", { client: "test", version: "0", protocol: 1 });
    expect(notes).toContain("safe mode: no hook is called and no plugin runs");
    line.close();
    expect((await home.cli(["host", "status"])).stderr).toContain("runs no turns, hooks or plugins");
    expect(host.child.exitCode).toBeNull();
    expect(readFileSync(loaded, "utf8")).toHaveLength(times);
  });

  it("[HO-9] a restart with --reset runs turns again; one without does not", async () => {
    home = hostHome(COUNTED);
    await crash(3);
    const state = async (): Promise<string> => (await home.json<{ state: string }>(["host", "status"])).state;
    await home.json(["host", "restart"]);
    expect(await state()).toBe("safe-mode");
    await home.json(["host", "restart", "--reset"]);
    expect(await state()).toBe("serving");
  });

  it("[HO-9] fewer crashes, and ends in order between them, change nothing", async () => {
    home = hostHome(COUNTED);
    await crash(2);
    await home.json(["host", "start"]);
    expect(await home.json(["host", "status"])).toMatchObject({ state: "serving" });
    await home.json(["host", "stop"]);
    await home.json(["host", "start"]);
    expect(await home.json(["host", "status"])).toMatchObject({ state: "serving" });
  });
});

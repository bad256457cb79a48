/** A crash loop: the host that follows too many crashes answers, and runs nothing until a person or time says so. */
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
  }, 60_000);

  it("[HO-9] a restart with --reset runs turns again; one without does not", async () => {
    home = hostHome(COUNTED);
    await crash(3);
    const state = async (): Promise<string> => (await home.json<{ state: string }>(["host", "status"])).state;
    await home.json(["host", "restart"]);
    expect(await state()).toBe("safe-mode");
    await home.json(["host", "restart", "--reset"]);
    expect(await state()).toBe("serving");
  }, 60_000);

  it("[HO-9] fewer crashes, and ends in order between them, change nothing", async () => {
    home = hostHome(COUNTED);
    await crash(2);
    await home.json(["host", "start"]);
    expect(await home.json(["host", "status"])).toMatchObject({ state: "serving" });
    await home.json(["host", "stop"]);
    await home.json(["host", "start"]);
    expect(await home.json(["host", "status"])).toMatchObject({ state: "serving" });
  }, 60_000);
});

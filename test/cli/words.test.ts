/** What commands say where a newcomer went astray: the words have to lead on. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HostHome, hostHome } from "../host/support/host-home.js";

let home: HostHome;
beforeEach(() => {
  home = hostHome();
});
afterEach(() => home.remove());

describe("config", () => {
  it("suggests the key whose beginning was given", async () => {
    const { code, stderr } = await home.cli(["config", "set", "host.linger", "5"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("did you mean host.linger_seconds?")]);
  });

  it("says that a running host uses a setting from its next start on, where that is so", async () => {
    expect((await home.cli(["config", "set", "host.port", "8643"])).stderr).toBe("");
    await home.serve();
    expect((await home.cli(["config", "set", "host.port", "8644"])).stderr).toMatch(/next start: talaria host restart/);
    expect((await home.cli(["config", "set", "display.time", "absolute"])).stderr).toBe("");
    expect((await home.cli(["config", "unset", "host.port"])).stderr).toMatch(/next start/);
  });

  it("tells a wrong variable from a wrong file", async () => {
    const { stderr } = await home.cli(["models"], { TALARIA_HOST_LINGER_SECONDS: "soon" });
    expect(stderr).toMatch(/TALARIA_HOST_LINGER_SECONDS.*correct the variable/s);
    expect(stderr).not.toMatch(/correct the file/);
  });
});

describe("rpc call", () => {
  it("names a method once, and has the host's number for programs", async () => {
    const { stderr } = await home.cli(["rpc", "call", "no.such.method"]);
    expect(stderr.match(/no\.such\.method/g)).toHaveLength(1);
    const told = await home.cli(["rpc", "call", "no.such.method", "--json"]);
    expect(JSON.parse(told.stderr)).toMatchObject({ error: { code: "usage", rpcCode: -32601 } });
  });
});

describe("a home", () => {
  it("that cannot be made where it would be is not blamed on a folder that is there", async () => {
    const { code, stderr } = await home.cli(["--home", "/proc/nope", "host", "start"]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("/proc/nope cannot be made there")]);
  });

  it("without routes needs no mirror, and doctor says so", async () => {
    await home.cli(["chat", "-q", "hello"]);
    const { checks } = await home.json<{ checks: { check: string; text: string }[] }>(["doctor"]);
    expect(checks.find(({ check }) => check === "mirror")?.text).toMatch(/none is needed/);
  });

  it("has a new plugin's files closed to others", async () => {
    await home.cli(["plugins", "new", "greeter"]);
    for (const name of ["plugin.yaml", "index.ts", "talaria.d.ts"]) {
      expect(statSync(join(home.paths.plugins, "greeter", name)).mode & 0o777).toBe(0o600);
    }
  });
});

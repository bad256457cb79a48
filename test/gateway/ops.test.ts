/** The gateway as a process: started, looked at, stopped, started again, and what is stored meanwhile. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { HOST_VARIABLES } from "#base/host-memory.js";
import { type ModelProcess, modelProcess } from "../cli/support/chat.js";
import { failedIn, isThere, until } from "../host/support/host-home.js";
import { type OpsHome, opsHome } from "./support/ops-home.js";

let home: OpsHome;
let model: ModelProcess | undefined;
afterEach(async () => {
  await home.remove();
  await model?.stop();
  model = undefined;
});

const CONSOLE = "platforms: { console: { allow: [me], owners: [me], home: me } }\ngateway: { drain_seconds: 0 }\n";

interface Status {
  readonly running: boolean;
  readonly pid: number;
  readonly platforms: readonly { platform: string; state: string; received: number; sent: number }[];
}

describe("talaria gateway run", () => {
  it("[GW-41] opens what is right, tells what is wrong, answers, and ends in order at Ctrl-C", async () => {
    home = opsHome();
    home.configure(
      "platforms:\n  console: { allow: [me] }\n  telegrm: {}\n  slack: { bot_token: '${NOT_SET}' }\ngateway: { drain_seconds: 0 }\n",
    );
    const gateway = await home.gateway();
    const me = await home.sit();
    await me.say("hello");
    await me.sees(/demo model/);
    await until(() => /console: up/.test(gateway.said()), "it says so");
    expect(gateway.said()).toMatch(/not started: platforms\.telegrm: .*did you mean telegram\?/);
    expect(gateway.said()).toMatch(/not started: platforms\.slack\.bot_token needs the variable NOT_SET/);
    const run = await home.cli(["gateway", "status"]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^console\s+up\s/m);
    gateway.child.kill("SIGINT");
    expect(await gateway.done).toMatchObject({ code: 130 });
    expect(gateway.said()).toContain("Stopping");
    expect(await home.cli(["gateway", "status"])).toMatchObject({ code: 3 });
  });

  it("[BH-4] [BH-5] starts and stops with no platform, an empty store and a drain of nothing", async () => {
    home = opsHome();
    home.configure("gateway: { drain_seconds: 0 }\n");
    const gateway = await home.gateway();
    await until(() => /console/.test(gateway.said()), "it says how to begin");
    expect(await home.json<Status>(["gateway", "status"])).toMatchObject({ running: true, platforms: [] });
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({ code: 143 });
    expect(home.logged("stopped")).toMatchObject([{ reason: "SIGTERM" }]);
    expect(failedIn(home.logged("stopped")[0]?.["troubles"] as readonly string[])).toEqual([]);
  });

  it("[GW-44] takes the place of an idle host, and is taken from nobody", async () => {
    home = opsHome({ TALARIA_HOST_LINGER_SECONDS: "300" });
    home.configure(CONSOLE);
    const host = await home.serve({}, []);
    const gateway = await home.gateway();
    expect(await host.done).toMatchObject({ code: 0 });
    expect(await home.cli(["gateway", "run"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("runs already"),
    });
    expect(await home.cli(["host", "restart"])).toMatchObject({ code: 1, stderr: expect.stringContaining("gateway") });
    const line = await home.line();
    const aside = { reason: "maintenance", if_idle: true };
    expect(await line.call("host.stop", aside)).toMatchObject({ stopping: false, gateway: true });
    line.close();
    expect(await home.cli(["gateway", "stop"])).toMatchObject({ code: 0 });
    expect(await gateway.done).toMatchObject({ code: 0 });
  });

  it("[GW-45] cuts what runs when it is asked again, stores what is said meanwhile, and the next one answers both, in order, once", async () => {
    model = await modelProcess([
      { when: { last: "first" }, text: "One and two.", holdAfter: 1 },
      { when: { last: "second" }, text: "The second answer." },
    ]);
    home = opsHome(model.env);
    home.configure("platforms: { console: { allow: [me], stream: false } }\ngateway: { drain_seconds: 60 }\n");
    const gateway = await home.gateway();
    const me = await home.sit();
    await me.say("first");
    await model.held();
    gateway.child.kill("SIGTERM");
    await until(() => home.logged("stopping").length > 0, "it drains");
    await me.say("second");
    await me.sees(/stored and will be answered/);
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({ code: 143 });
    expect(me.shown).toHaveLength(1);
    expect(home.logged("stopped")).toMatchObject([{ working: 1, cut: 1 }]);
    await model.go();
    await home.gateway();
    const again = await home.sit();
    await again.sees(/The second answer\./);
    expect(again.shown).toEqual([expect.stringContaining("One and two."), "The second answer."]);
  });
});

describe("a gateway that drains", () => {
  it("[GW-44] is said to be stopping, to whoever looks and to whoever would stop it", async () => {
    model = await modelProcess([{ when: { last: "first" }, text: "One and two.", holdAfter: 1 }]);
    home = opsHome(model.env);
    home.configure("platforms: { console: { allow: [me] } }\ngateway: { drain_seconds: 60 }\n");
    const gateway = await home.gateway();
    const me = await home.sit();
    await me.say("first");
    await model.held();
    gateway.child.kill("SIGTERM");
    await until(() => home.logged("stopping").length > 0, "it drains");
    const { pid } = gateway.child;
    expect(await home.json(["gateway", "status"])).toMatchObject({ running: true, state: "stopping", pid });
    expect(await home.cli(["gateway", "status"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("is stopping; running turns get their time"),
    });
    expect(await home.cli(["gateway", "stop"])).toMatchObject({ stderr: expect.stringContaining("is stopping") });
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({
      code: 143,
      stdout: expect.stringContaining("1 turn was cut; the next start goes on where it was."),
    });
  });
});

describe("talaria gateway restart", () => {
  it("[GW-44] leaves the terminal with the command until its successor has drained", async () => {
    model = await modelProcess([{ when: { last: "first" }, text: "One and two.", holdAfter: 1 }]);
    home = opsHome(model.env);
    home.configure("platforms: { console: { allow: [me] } }\ngateway: { drain_seconds: 60 }\n");
    const gateway = await home.gateway();
    const { pid } = await home.json<{ pid: number }>(["gateway", "restart"]);
    const me = await home.sit();
    await me.say("first");
    await model.held();
    // As a terminal does it: to everybody in the foreground.
    const press = (): void => [gateway.child.pid ?? 0, pid].forEach((one) => void process.kill(one, "SIGINT"));
    press();
    await until(() => home.logged("stopping").length > 1, "it drains");
    await expect(home.json(["gateway", "status"])).resolves.toMatchObject({ state: "stopping", pid });
    expect(isThere(gateway.child.pid ?? 0)).toBe(true);
    press();
    expect(await gateway.done).toMatchObject({ code: 130 });
    expect(isThere(pid)).toBe(false);
  });

  it("[GW-44] starts one that was started by hand anew, in its terminal, until it is stopped", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    const gateway = await home.gateway();
    const { pid } = await home.json<Status>(["gateway", "status"]);
    expect(pid).toBe(gateway.child.pid);
    const first = await home.json<{ pid: number }>(["gateway", "restart"]);
    expect(first.pid).not.toBe(pid);
    const second = await home.json<{ pid: number; previous: number }>(["gateway", "restart"]);
    expect(second.previous).toBe(first.pid);
    expect(isThere(pid)).toBe(true);
    const me = await home.sit();
    await me.say("hello");
    await me.sees(/demo model/);
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({ code: 143 });
    expect(isThere(second.pid)).toBe(false);
  });

  it("[GW-44] asked for in a chat is told there when it has happened, once", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    const gateway = await home.gateway();
    const me = await home.sit();
    await me.say("/restart");
    await until(() => home.logged("platforms are opened").length > 1, "the next one is there");
    const again = await home.sit();
    await again.sees(/back/i);
    await again.say("hello");
    await again.sees(/demo model/);
    expect(again.shown.filter((text) => /back/i.test(text))).toHaveLength(1);
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({ code: 143 });
  });

  it("[GW-44] asked for in a chat is refused there while the settings have a mistake", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    const gateway = await home.gateway();
    const me = await home.sit();
    home.configure(`${CONSOLE}host: { port: nope }\n`);
    await me.say("/restart");
    await me.sees(/I do not restart, and go on as I am: the settings have a mistake\n.*host\.port/);
    await me.say("hello");
    await me.sees(/demo model/);
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({ code: 143 });
  });

  it("[GW-44] leaves it to a supervisor where there is one", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    const gateway = await home.gateway({ TALARIA_SUPERVISED: "1" });
    const line = await home.line();
    await line.call("host.stop", { reason: "restart", keep_openings: true });
    line.close();
    expect(await gateway.done).toMatchObject({ code: 75 });
  });

  it("keeps the variables that its memory needs to itself: what it runs does not inherit them", async () => {
    home = opsHome();
    const dump = `'env > "$TALARIA_HOME/environment.part"; mv "$TALARIA_HOME/environment.part" "$TALARIA_HOME/environment"'`;
    home.configure(`${CONSOLE}hooks_auto_accept: true\nhooks: { on_session_start: [{ command: ${dump} }] }\n`);
    const gateway = await home.gateway({ ...HOST_VARIABLES, TALARIA_SUPERVISED: "1", MINE: "stays" });
    const me = await home.sit();
    await me.say("hello");
    const path = join(home.path, "environment");
    await expect.poll(() => existsSync(path)).toBe(true);
    const environment = readFileSync(path, "utf8");
    expect(environment).toContain("MINE=stays");
    expect(environment).not.toContain("MALLOC");
    gateway.child.kill("SIGTERM");
    expect(await gateway.done).toMatchObject({ code: 143 });
  });

  it("[GW-44] says that nothing runs when nothing does", async () => {
    home = opsHome();
    expect(await home.cli(["gateway", "restart"])).toMatchObject({ code: 3 });
    expect(await home.cli(["gateway", "stop"])).toMatchObject({ code: 0 });
  });
});

/** Commands that write while a host has the home. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelProcess, modelProcess } from "../cli/support/chat.js";
import { conversation, DAY_MS, fillHome } from "../cli/support/homes.js";
import { type HostHome, hostHome, until } from "./support/host-home.js";

let home: HostHome;
let model: ModelProcess | undefined;
afterEach(async () => {
  await home.remove();
  await model?.stop();
  model = undefined;
});

const NOW_MS = Date.now();

async function filled(env: NodeJS.ProcessEnv = {}): Promise<void> {
  home = hostHome(env);
  const route = { platform: "telegram", chatType: "dm", createdMs: NOW_MS - 200 * DAY_MS };
  await fillHome(home.path, {
    conversations: [
      conversation("aaaa1111", { title: "first", activeMs: NOW_MS }),
      conversation("bbbb2222", { activeMs: NOW_MS }),
    ],
    routes: [
      { ...route, key: "agent:main:telegram:dm:1", session: "aaaa1111-s", usedMs: NOW_MS - 30 * DAY_MS },
      { ...route, key: "agent:main:telegram:dm:2", session: "bbbb2222-s", usedMs: NOW_MS },
    ],
  });
}

describe("while a host has the home", () => {
  it("[HO-10] a session is renamed, archived and deleted through it, and whoever watches is told", async () => {
    await filled();
    const host = await home.serve();
    const line = await home.line();
    const told: string[] = [];
    line.onEvent(({ type, session_id }) => told.push(`${type} ${session_id ?? ""}`));
    await line.call("session.resume", { session_id: "aaaa1111" });
    expect(await home.json(["sessions", "rename", "aaaa1111", "second"])).toMatchObject({ title: "second" });
    await until(() => told.some((event) => event === "session.changed aaaa1111"), `it is told: ${told.join(", ")}`);
    expect(await home.json(["sessions", "archive", "bbbb2222"])).toMatchObject({ archived: true });
    expect((await home.cli(["sessions", "delete", "bbbb2222", "--yes"])).code).toBe(0);
    expect((await home.cli(["sessions", "show", "bbbb2222"])).code).toBe(3);
    expect(await home.json(["host", "status"])).toMatchObject({ pid: host.pid });
    line.close();
  });

  it("[HO-10] a deletion that a running turn refuses is told to nobody; a wish that is half told is refused", async () => {
    model = await modelProcess([{ when: { user: "wait" }, text: "late", holdAfter: 0 }]);
    await filled(model.env);
    await home.serve();
    const line = await home.line();
    const told: string[] = [];
    line.onEvent(({ type }) => told.push(type));
    const { session_id } = await line.call("session.create", {});
    await line.call("prompt.submit", { session_id, text: "wait for it" });
    await until(async () => (await home.json<{ working: number }>(["host", "status"])).working === 1, "it runs");
    expect((await home.cli(["sessions", "delete", session_id, "--yes"])).code).not.toBe(0);
    // What is told afterwards shows that nothing was told before it.
    expect((await home.cli(["sessions", "rename", session_id, "busy"])).code).toBe(0);
    await until(() => told.includes("session.changed"), "the title is told");
    expect(told.filter((type) => type === "session.changed")).toHaveLength(1);
    await expect(line.call("host.maintain", { verb: "remove", args: {} })).rejects.toThrow(
      "remove needs conversation (string)",
    );
    await expect(line.call("host.maintain", { verb: "beginHost", args: {} })).rejects.toThrow("not done for others");
    line.close();
  });

  it("[HO-10] [RI-17] a prune of routes goes through it, and the mirror is written before the command ends", async () => {
    await filled();
    await home.serve();
    const pruned = await home.json(["routes", "prune", "--older-than", "10", "--yes"]);
    expect(pruned).toMatchObject({ pruned: ["agent:main:telegram:dm:1"] });
    const { readFileSync } = await import("node:fs");
    const mirror = JSON.parse(readFileSync(home.paths.mirror, "utf8")) as Record<string, unknown>;
    expect(Object.keys(mirror).filter((key) => !key.startsWith("_"))).toEqual(["agent:main:telegram:dm:2"]);
  });

  it("[HO-10] an import makes an idle host step aside, whose conversations stay open", async () => {
    await filled();
    const host = await home.serve();
    const exported = join(home.path, "all.jsonl");
    expect((await home.cli(["sessions", "export", "--all", "-o", exported])).code).toBe(0);
    const { code, stderr } = await home.cli(["sessions", "import", exported]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("stepped aside")]);
    expect((await host.done).code).toBe(0);
  });

  it("[HO-10] an import while a turn runs is refused with what to do, and changes nothing", async () => {
    model = await modelProcess([{ when: { user: "wait" }, text: "late", holdAfter: 0 }]);
    await filled(model.env);
    await home.serve();
    const line = await home.line();
    const { session_id } = await line.call("session.create", {});
    await line.call("prompt.submit", { session_id, text: "wait for it" });
    await until(async () => (await home.json<{ working: number }>(["host", "status"])).working === 1, "it runs");
    const file = join(home.path, "some.jsonl");
    writeFileSync(file, "");
    const { code, stderr } = await home.cli(["sessions", "import", file]);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/a turn is running.*talaria host stop/s)]);
    line.close();
  });

  it("[RI-12] prunes routes nobody used by itself, on its first look", async () => {
    await filled({ TALARIA_GATEWAY_SESSION_STORE_MAX_AGE_DAYS: "10" });
    await home.serve();
    const keys = async (): Promise<unknown> =>
      (await home.json<{ routes: { key: string }[] }>(["routes", "list"])).routes.map(({ key }) => key);
    await until(async () => ((await keys()) as string[]).length === 1, "the old one goes");
    expect(await keys()).toEqual(["agent:main:telegram:dm:2"]);
  });
});

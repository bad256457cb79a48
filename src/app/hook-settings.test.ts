/** Which hooks a home names, from where, and which of them may run. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HomePaths, homePaths } from "#config/home.js";
import type { Config } from "#config/schema.js";
import { writeConsents } from "#hook/consent.js";
import { consentsPath, hookNotes, hookSettings } from "./hook-settings.js";

let home: HomePaths;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "talaria-hooks-")));
  mkdirSync(home.hooks);
});
afterEach(() => rmSync(home.root, { recursive: true, force: true, maxRetries: 20 }));

const read = (hooks: Config["hooks"] = {}, env: NodeJS.ProcessEnv = {}, isAccepted = false) =>
  hookSettings({ home, env, config: { hooks, hooks_auto_accept: isAccepted } });
const notify = { on_session_end: [{ command: "notify" }] };

function folder(name: string, yaml: string, handler?: { readonly name: string; readonly mode: number }): void {
  const path = join(home.hooks, name);
  mkdirSync(path);
  writeFileSync(join(path, "HOOK.yaml"), yaml);
  if (handler === undefined) return;
  writeFileSync(join(path, handler.name), "#!/bin/sh\n");
  chmodSync(join(path, handler.name), handler.mode);
}

describe("a configured hook", () => {
  it("[HK-8] needs leave, which a file, a variable or a setting gives", async () => {
    const leave = async (...how: Parameters<typeof read>) => (await read(...how)).hooks.map((hook) => hook.leave);
    expect(await leave(notify)).toEqual(["needs-consent"]);
    expect(await leave(notify, { TALARIA_ACCEPT_HOOKS: "1" })).toEqual(["allowed"]);
    expect(await leave(notify, { TALARIA_ACCEPT_HOOKS: "0" })).toEqual(["needs-consent"]);
    expect(await leave(notify, {}, true)).toEqual(["allowed"]);
    await writeConsents(consentsPath(home), [{ event: "on_session_end", command: "notify", allowedMs: 1 }]);
    expect(await leave(notify)).toEqual(["allowed"]);
  });

  it("[HK-8] of an event that does not exist is never run, and that is said", async () => {
    const settings = await read({ on_full_moon: [{ command: "howl" }] }, {}, true);
    expect(settings.hooks).toMatchObject([{ leave: "unknown-event" }]);
    expect(hookNotes(settings)).toEqual([expect.stringContaining("on_full_moon")]);
  });

  it("that stands there twice runs once, and that is said", async () => {
    const { hooks, remarks } = await read({ on_session_end: [{ command: "notify" }, { command: "notify " }] });
    expect(hooks).toHaveLength(1);
    expect(remarks).toEqual([expect.stringContaining("configured twice")]);
  });

  it("[HK-8] is not allowed by a file that cannot be read, and the start goes on", async () => {
    writeFileSync(consentsPath(home), "{");
    const settings = await read(notify);
    expect(settings.hooks).toMatchObject([{ leave: "needs-consent" }]);
    expect(hookNotes(settings)[0]).toMatch(/no hook is allowed/);
  });
});

describe("a folder with a hook", () => {
  it("[HK-7] names its events, and its handler is run for each", async () => {
    folder("log it", "name: log\nevents: [session:start, 'command:new']\n", { name: "handler.sh", mode: 0o755 });
    const { hooks } = await read({}, {}, true);
    expect(hooks.map(({ event, leave }) => [event, leave])).toEqual([
      ["session:start", "allowed"],
      ["command:new", "allowed"],
    ]);
    expect(hooks[0]?.command).toBe(`'${join(home.hooks, "log it", "handler.sh")}'`);
  });

  it("[HK-7] without a handler that can be run is listed and never run", async () => {
    folder("python", "events: [session:start]\n", { name: "handler.py", mode: 0o644 });
    const settings = await read({}, {}, true);
    expect(settings.hooks).toMatchObject([{ leave: "not-runnable" }]);
    expect(hookNotes(settings)).toEqual([expect.stringContaining("no handler that can be run")]);
  });

  it("[HK-8] that cannot be read takes no other hook along", async () => {
    folder("broken", "events: [session:start", { name: "handler", mode: 0o755 });
    folder("empty", "", { name: "handler", mode: 0o755 });
    mkdirSync(join(home.hooks, "nothing"));
    const { hooks, remarks } = await read(notify, {}, true);
    expect(hooks.map(({ event }) => event)).toEqual(["on_session_end"]);
    expect(remarks).toEqual([expect.stringMatching(/broken cannot be read/)]);
  });
});

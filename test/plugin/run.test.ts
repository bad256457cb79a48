/** Plugins that break while they run, in real processes: a call fails with the plugin's name, and nothing else does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { packageRoot } from "#base/package-root.js";
import type { HookEvent } from "#hook/hook.js";
import { PluginError } from "#plugin/failure.js";
import { ABANDONED_MAX, CALLS_MAX, TOOL_SECONDS_DEFAULT } from "#plugin/limits.js";
import type { Plugins } from "#plugin/plugins.js";
import { spawnHost } from "#plugin/spawn-host.js";
import type { ToolContext } from "#tool/tool.js";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { type PluginHome, pluginHome } from "./support/plugin-home.js";

let home: PluginHome;
beforeEach(() => {
  home = pluginHome();
});
afterEach(() => home.remove());

/** Tools by name with the body of their `run(input, context)`. */
const tools = (bodies: Readonly<Record<string, string>>, more = ""): string =>
  `import fs from "node:fs"; import processes from "node:child_process"; export function register(t) {\n${Object.entries(
    bodies,
  )
    .map(
      ([name, body]) =>
        `t.tool({ name: "${name}", description: "d", effect: "read-only", run: async (input, context) => {\n${body}\n} });`,
    )
    .join("\n")}\n${more} }`;

const context = (more: Partial<ToolContext> = {}): ToolContext =>
  ({ signal: new AbortController().signal, report: () => undefined, ...more }) as ToolContext;

const use = (plugins: Plugins, name: string, more?: Partial<ToolContext>, input: unknown = {}) => {
  const tool = plugins.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(input, context(more));
};

const tell = (plugins: Plugins, plugin: string, event: HookEvent, signal = new AbortController().signal) => {
  const hook = plugins.hooks.find(({ name }) => name === `plugin:${plugin}`);
  if (hook === undefined) throw new Error(`no hook of ${plugin}`);
  return hook.call(event, signal);
};

/** Until the plugin answers again after a restart. */
async function back(plugins: Plugins, name: string) {
  for (;;) {
    const answer = await use(plugins, name);
    if (answer.kind === "ok") return answer;
    expect(answer.text).toMatch(/being restarted|is gone|could not be loaded/);
    await pause(20);
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

async function gone(pid: number, limitMs = 30_000): Promise<void> {
  const untilMs = performance.now() + limitMs;
  while (isAlive(pid)) {
    expect(performance.now()).toBeLessThan(untilMs);
    await pause(20);
  }
}

describe("a plugin at work", () => {
  it("[PL-2] hears events in camelCase, answers as an interceptor, and reports from a tool", async () => {
    home.addPlain(
      "full",
      tools(
        { echo: "context.report('on it'); return JSON.stringify({ input, call: context.call, cwd: context.cwd });" },
        `t.on("on_session_end", (e) => t.log("SEEN " + JSON.stringify({ ...e, signal: 0 })));
         t.on("pre_tool_call", (e) => e.payload.toolName === "rm" ? { action: "block", message: "not " + e.payload.args.some_path } : undefined);
         t.on("pre_tool_call", () => undefined);
         t.command({ name: "shout", summary: "s", takes: "<words>", run: (w, c) => w.toUpperCase() + " on " + c.surface });`,
      ),
    );
    const plugins = await home.open();
    const lines: string[] = [];
    const ran = await use(
      plugins,
      "echo",
      { call: "c1" as never, cwd: "/w", report: (line) => lines.push(line) },
      { a: 1 },
    );
    expect(JSON.parse(ran.text)).toEqual({ input: { a: 1 }, call: "c1", cwd: "/w" });
    expect(lines).toEqual(["on it"]);
    const payload = { tool_name: "rm", args: { some_path: "/" } };
    expect(await tell(plugins, "full", { name: "pre_tool_call", payload })).toEqual({
      action: "block",
      message: "not /",
    });
    expect(await tell(plugins, "full", { name: "pre_tool_call", payload: {} })).toBeUndefined();
    await tell(plugins, "full", { name: "on_session_end", key: "k1", payload: { session_id: "s", turn_id: null } });
    expect(home.log()).toContain(
      JSON.stringify(
        `SEEN ${JSON.stringify({ name: "on_session_end", payload: { sessionId: "s", turnId: null }, signal: 0, key: "k1" })}`,
      ).slice(1, -1),
    );
    const [command] = plugins.commands;
    expect(command).toMatchObject({ name: "shout", takes: "<words>", who: "owner" });
    expect(await command?.run({ surface: "chat", conversation: undefined } as never, "hi")).toMatchObject({
      say: ["HI on chat"],
    });
  });

  it("[PL-8] fails the one call that throws, in words for the model, and goes on in the same process", async () => {
    home.addPlain(
      "thrower",
      tools(
        { bad: "throw new Error('out of paper');", good: "return 'ok'" },
        `
      t.on("pre_tool_call", () => { throw new Error("hook broke"); });
      t.command({ name: "fail", summary: "s", run: () => { throw new Error("command broke"); } });`,
      ),
    );
    const plugins = await home.open();
    const { pid } = plugins;
    expect(await use(plugins, "bad")).toMatchObject({
      kind: "error",
      text: expect.stringMatching(/bad failed: plugin thrower: out of paper \(index\.mjs:\d+\)\.$/),
    });
    const failed = await tell(plugins, "thrower", { name: "pre_tool_call", payload: {} }).catch((error) => error);
    expect(failed).toBeInstanceOf(PluginError);
    expect(failed).toMatchObject({ code: "plugin-failed", plugin: "thrower" });
    const command = plugins.commands[0]?.run({ surface: "terminal" } as never, "");
    await expect(command).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("command broke"),
    });
    expect(await use(plugins, "good")).toEqual({ kind: "ok", text: "ok" });
    expect(plugins.pid).toBe(pid);
    expect(home.state().strikes).toEqual([]);
  });

  it("[PL-8] ends a call that never ends when its caller gives up, and tells the plugin", async () => {
    home.addPlain(
      "hanger",
      tools(
        {
          deaf: "await new Promise(() => {});",
          polite:
            "await new Promise((_, stop) => context.signal.addEventListener('abort', () => stop(new Error('I stopped'))));",
          good: "return 'ok'",
        },
        't.on("pre_llm_call", () => new Promise(() => {}));',
      ),
    );
    // What is said on being given up is heard within it, also on a slow machine; who is deaf is waited for so long.
    const plugins = await home.open({ cancelGraceMs: 4_000 });
    const giveUp = new AbortController();
    const deaf = use(plugins, "deaf", { signal: giveUp.signal });
    const polite = use(plugins, "polite", { signal: giveUp.signal });
    const hook = tell(plugins, "hanger", { name: "pre_llm_call", payload: {} }, giveUp.signal).catch((error) => error);
    expect(await use(plugins, "good")).toMatchObject({ text: "ok" });
    giveUp.abort();
    // A hook is not waited for any longer; what the tool may still say is.
    expect(await Promise.race([hook, deaf, polite])).toMatchObject({ code: "plugin-late" });
    expect(await polite).toMatchObject({ kind: "error", text: expect.stringContaining("I stopped") });
    expect(await deaf).toMatchObject({ kind: "error", text: expect.stringContaining("nobody waits") });
  });

  it("[PL-8] ends a call at its own time limit", async () => {
    home.addPlain(
      "slow",
      tools(
        { good: "return 'ok'" },
        "t.tool({ name: 'brief', description: 'd', effect: 'at-most-once', timeSeconds: 0.3, run: () => new Promise(() => {}) });",
      ),
    );
    const plugins = await home.open({ cancelGraceMs: 100 });
    const { text } = await use(plugins, "brief");
    expect(text).toMatch(/no answer within 0\.3 s\. Its outcome is unknown\./);
    expect(await use(plugins, "good")).toMatchObject({ text: "ok" });
  });

  it("[PL-8] refuses what is too large, in both directions, and more calls than it takes", async () => {
    home.addPlain(
      "large",
      tools(
        {
          big: "return { toString: undefined, text: 'x'.repeat(9e6) };",
          good: "return 'ok'",
          wait: "await new Promise(() => {});",
        },
        "t.on('transform_llm_output', () => 'y'.repeat(5e6));",
      ),
    );
    const plugins = await home.open({ cancelGraceMs: 10 });
    expect(await use(plugins, "good", {}, { text: "x".repeat(5_000_000) })).toMatchObject({
      kind: "error",
      text: expect.stringContaining("more than 4 MB"),
    });
    expect((await use(plugins, "big")).text.length).toBeLessThan(200_000);
    await expect(tell(plugins, "large", { name: "transform_llm_output", payload: {} })).rejects.toThrow(
      "more than 4 MB",
    );
    const giveUp = new AbortController();
    const waiting = Array.from({ length: CALLS_MAX }, () => use(plugins, "wait", { signal: giveUp.signal }));
    expect(await use(plugins, "good")).toMatchObject({
      kind: "error",
      text: expect.stringContaining(`${CALLS_MAX} calls`),
    });
    giveUp.abort();
    await Promise.all(waiting);
    // So many calls that never ended hold memory over there: the plugin pays for them.
    expect(CALLS_MAX).toBeGreaterThan(ABANDONED_MAX);
    expect(await use(plugins, "good")).toMatchObject({ kind: "error" });
    expect((await back(plugins, "good")).text).toBe("ok");
    expect(home.state().strikes).toMatchObject([{ name: "large", reason: expect.stringContaining("never ended") }]);
  });

  it("[PL-7] asks before a tool that may run once, unless the plugin is trusted", async () => {
    const code =
      "export function register(t) { t.tool({ name: 'send', description: 'd', run: () => '' }); t.tool({ name: 'look', description: 'd', effect: 'read-only', run: () => '' }); }";
    home.add("sender", code);
    const plugins = await home.open();
    const [send, look] = plugins.tools;
    expect(send).toMatchObject({ effect: "at-most-once" });
    expect(await send?.guard?.({}, context())).toMatchObject({ kind: "ask", grant: "plugin:sender:send" });
    expect(look?.guard).toBeUndefined();
  });
});

describe("a plugin that ends or blocks its process", () => {
  const good = () => home.addPlain("good", tools({ fine: "return 'ok'", wait: "await new Promise(() => {});" }));

  it.each([
    ["process.exit(5);", /process\.exit\(5\)/],
    ["process.abort();", /process\.abort/],
    ["setTimeout(() => process.exit(6), 30); await new Promise(() => {});", /process\.exit\(6\)/],
    ["for (;;) {}", /blocks the event loop at index\.ts:3/],
    ["await null; await new Promise((go) => setTimeout(go, 20)); for (;;) {}", /blocks the event loop at index\.ts:3/],
    ["Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);", /blocks the event loop/],
    ["for (;;) console.log('x');", /floods/],
    [
      "const all = []; for (;;) { for (let i = 0; i < 10; i++) all.push(Buffer.alloc(1e6, 1)); await new Promise((go) => setImmediate(go)); }",
      /memory/,
    ],
  ])("[PL-9] costs it a strike by name and the others a moment: %s", async (body, reason) => {
    good();
    home.add("wild", tools({ go: body }));
    const plugins = await home.open();
    const { pid } = plugins;
    const waiting = body.includes("Atomics") ? undefined : use(plugins, "wait");
    const answer = await use(plugins, "go");
    expect(answer).toMatchObject({ kind: "error", text: expect.stringMatching(reason) });
    if (waiting !== undefined) expect(await waiting).toMatchObject({ kind: "error" });
    expect(await back(plugins, "fine")).toMatchObject({ text: "ok" });
    expect(plugins.pid).not.toBe(pid);
    expect(home.state().strikes).toMatchObject([{ name: "wild", reason: expect.stringMatching(reason) }]);
    expect(plugins.failures()).toEqual([]);
  });

  it("[PL-9] sets it aside after three strikes; it asks nobody any more, and the others go on", async () => {
    good();
    home.addPlain("wild", tools({ go: "process.exit(1);" }, 't.on("pre_tool_call", () => process.exit(2));'));
    const plugins = await home.open();
    const hook = plugins.hooks.find(({ name }) => name === "plugin:wild");
    expect(hook?.on).toEqual(["pre_tool_call"]);
    await use(plugins, "go");
    await back(plugins, "fine");
    await expect(tell(plugins, "wild", { name: "pre_tool_call", payload: {} })).rejects.toThrow("process.exit(2)");
    await back(plugins, "fine");
    expect(plugins.failures()).toEqual([]);
    await use(plugins, "go");
    await back(plugins, "fine");
    expect(plugins.failures()).toMatchObject([
      { plugin: "wild", kind: "broken", text: expect.stringContaining("3 times") },
    ]);
    expect(hook?.on).toEqual([]);
    expect(plugins.tools.map(({ name }) => name)).toEqual(["fine", "wait"]);
    expect(await tell(plugins, "wild", { name: "pre_tool_call", payload: {} })).toBeUndefined();
    const owed = tell(plugins, "wild", { name: "post_tool_call", payload: {} });
    await expect(owed).rejects.toMatchObject({ code: "plugin-gone", retry: "never" });
    expect(home.state()).toMatchObject({ strikes: [], setAside: [{ name: "wild" }], enabled: ["good", "wild"] });
  });

  it("[PL-9] counts what nobody caught as a strike and lets the process go on", async () => {
    good();
    home.addPlain(
      "leaky",
      tools({
        leak: "void Promise.reject(new Error('left alone')); setTimeout(() => { throw new Error('thrown late'); }, 1); await new Promise((go) => setTimeout(go, 20)); return 'done';",
      }),
    );
    const plugins = await home.open();
    const { pid } = plugins;
    expect(await use(plugins, "leak")).toMatchObject({ text: "done" });
    expect(await use(plugins, "fine")).toMatchObject({ text: "ok" });
    expect(plugins.pid).toBe(pid);
    await vi.waitFor(() => expect(home.state().strikes).toHaveLength(2), 30_000);
    expect(home.state().strikes.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      expect.stringMatching(/^leaky: it left a rejected promise alone: left alone/),
      expect.stringMatching(/^leaky: it threw where nobody could catch it: thrown late/),
    ]);
  });

  it("[PL-9] names the plugin whose timer blocks, not the one whose call is under way", async () => {
    good();
    const [go, done] = [join(home.path, "go"), join(home.path, "done")];
    const blockOnce = `if (fs.existsSync("${go}") && !fs.existsSync("${done}")) { fs.writeFileSync("${done}", ""); for (;;) {} }`;
    home.addPlain("sneaky", tools({}, `setInterval(() => { ${blockOnce} }, 20);`));
    const plugins = await home.open();
    const waiting = use(plugins, "wait");
    // Asked after it and answered: the other one is under way.
    expect(await use(plugins, "fine")).toMatchObject({ text: "ok" });
    writeFileSync(go, "");
    expect(await waiting).toMatchObject({ kind: "error" });
    expect((await back(plugins, "fine")).text).toBe("ok");
    expect(home.state().strikes).toMatchObject([{ name: "sneaky" }]);
  });

  it("[PL-10] asks and tells again what another plugin cut off, and runs no tool twice", async () => {
    // Nothing is answered before the end that another one makes of it.
    home.addPlain(
      "asked",
      tools(
        { once: "t.log('ONCE'); await new Promise(() => {});", fine: "return 'ok'" },
        `const begun = t.storage + "/begun";
         t.on("pre_llm_call", () => {
           t.log("ASKED");
           if (fs.existsSync(begun)) return "context";
           fs.writeFileSync(begun, "");
           return new Promise(() => {});
         });`,
      ),
    );
    home.addPlain("wild", tools({ go: "process.exit(1);" }));
    const plugins = await home.open();
    const asked = tell(plugins, "asked", { name: "pre_llm_call", payload: {} });
    const once = use(plugins, "once");
    await vi.waitFor(() => {
      expect(home.log()).toContain("ASKED");
      expect(home.log()).toContain("ONCE");
    }, 30_000);
    await use(plugins, "go");
    expect(await asked).toBe("context");
    expect(await once).toMatchObject({ kind: "error" });
    expect(home.log().match(/ASKED/g)).toHaveLength(2);
    expect(home.log().match(/ONCE/g)).toHaveLength(1);
  });

  it("[PL-4] denies nothing in the name of a plugin that cannot be loaded", async () => {
    good();
    home.add("hanger", "", {
      "index.mjs": "await new Promise(() => {});",
      "plugin.yaml": "name: hanger\nversion: 1.0.0\nhooks: [pre_tool_call]\n",
    });
    const plugins = await home.open({ openWaitMs: 10, loadMs: 2_000 });
    expect(plugins.hooks.find(({ name }) => name === "plugin:hanger")?.on).toEqual(["pre_tool_call"]);
    const asked = tell(plugins, "hanger", { name: "pre_tool_call", payload: {} });
    await vi.waitFor(() => expect(plugins.tools).not.toEqual([]), 30_000);
    expect(await use(plugins, "fine")).toMatchObject({ text: "ok" });
    expect(await asked).toBeUndefined();
    expect(plugins.failures()).toMatchObject([{ plugin: "hanger" }]);
  });

  it("[PL-10] fails each of 100 calls under way once and promptly when the process is killed, and blames nobody", async () => {
    good();
    const plugins = await home.open();
    const { pid = 0 } = plugins;
    let settled = 0;
    const calls = Array.from({ length: 100 }, () => use(plugins, "wait").finally(() => settled++));
    expect(await use(plugins, "fine")).toMatchObject({ text: "ok" });
    const beganMs = performance.now();
    process.kill(pid, "SIGKILL");
    const answers = await Promise.all(calls);
    expect(performance.now() - beganMs).toBeLessThan((TOOL_SECONDS_DEFAULT * 1_000) / 2);
    expect(settled).toBe(100);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toContain("ended by SIGKILL");
    expect((await back(plugins, "fine")).text).toBe("ok");
    expect(home.state().strikes).toEqual([]);
  });

  it("[PL-9] blames nobody when the whole process stands still", async () => {
    good();
    const plugins = await home.open({ beatsMissedMax: 3 });
    const { pid = 0 } = plugins;
    const waiting = use(plugins, "wait");
    expect(await use(plugins, "fine")).toMatchObject({ text: "ok" });
    process.kill(pid, "SIGSTOP");
    expect(await waiting).toMatchObject({ kind: "error" });
    expect((await back(plugins, "fine")).text).toBe("ok");
    expect(plugins.pid).not.toBe(pid);
    expect(home.state().strikes).toEqual([]);
  });

  it("[PL-9] stores three strikes of a plugin that throws a thousand times a second, and ends it", async () => {
    good();
    home.addPlain(
      "storm",
      tools({
        go: "setInterval(() => { for (let i = 0; i < 50; i++) void Promise.reject(new Error('no ' + i)); }, 1); return 'begun';",
      }),
    );
    const plugins = await home.open({ deathsMax: 1 });
    expect(await use(plugins, "go")).toMatchObject({ text: "begun" });
    await vi.waitFor(() => expect(home.state().setAside).toMatchObject([{ name: "storm" }]), 30_000);
    expect((await back(plugins, "fine")).text).toBe("ok");
    expect(plugins.failures()).toMatchObject([{ plugin: "storm", text: expect.stringContaining("3 times") }]);
    expect(home.state().strikes).toEqual([]);
    expect(home.log().length).toBeLessThan(100_000);
  });

  it("[PL-8] lets no question pass while everything is being stopped", async () => {
    home.addPlain("asked", tools({}, 't.on("pre_tool_call", () => new Promise(() => {}));'));
    const plugins = await home.open();
    const asked = tell(plugins, "asked", { name: "pre_tool_call", payload: {} });
    await plugins.stop(500);
    await expect(asked).rejects.toBeInstanceOf(PluginError);
    await expect(tell(plugins, "asked", { name: "pre_tool_call", payload: {} })).rejects.toThrow("stopping");
  });

  it("[PL-9] gives the whole plugin host up after deaths that nobody can be blamed for", async () => {
    good();
    const plugins = await home.open({ deathsMax: 3 });
    for (let death = 1; death <= 3; death++) {
      await back(plugins, "fine");
      const { pid = 0 } = plugins;
      process.kill(pid, "SIGKILL");
      while (plugins.pid === pid) await pause(10);
    }
    expect(plugins.failures()).toMatchObject([{ plugin: null, text: expect.stringContaining("ended 3 times") }]);
    expect(plugins.tools).toEqual([]);
    await expect(tell(plugins, "good", { name: "post_tool_call", payload: {} })).rejects.toMatchObject({
      code: "plugin-gone",
    });
  });

  it("[PL-4] stops within its limit while a plugin blocks, and calls under way end", async () => {
    home.addPlain("wild", tools({ go: "t.log('LOOPING'); for (;;) {}" }));
    const plugins = await home.open({ beatsMissedMax: 1_000 });
    const { pid = 0 } = plugins;
    const call = use(plugins, "go");
    await vi.waitFor(() => expect(home.log()).toContain("LOOPING"), 30_000);
    await plugins.stop(300);
    expect(await call).toMatchObject({ kind: "error" });
    expect(isAlive(pid)).toBe(false);
  });
});

describe("the plugin host without its parent", () => {
  const began = () => join(home.pluginsDir, ".storage", "any", "began");

  /** Opens the plugin in a process of its own, waits until its tool is at work, and kills that process. */
  async function orphan(body: string): Promise<number> {
    home.addPlain(
      "any",
      tools({ go: `const began = (text) => fs.writeFileSync(t.storage + "/began", text);\n${body}` }),
    );
    const script = await bundleTs(join(packageRoot(), "test", "plugin", "support", "parent.ts"));
    const parent = spawn(process.execPath, [script, home.path, "go"], { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
    await vi.waitFor(() => expect(existsSync(began())).toBe(true), 30_000);
    expect(isAlive(Number(line))).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "close");
    return Number(line);
  }

  it.each([
    ["idle", "began('');"],
    ["in an endless loop", "began(''); for (;;) {}"],
    ["blocked in the kernel", "began(''); processes.execSync('sleep 60');"],
  ])("[PL-11] is gone with it, also when it is %s", async (_what, body) => gone(await orphan(body)));

  it("[PL-11] is gone also when the plugins' folder goes with it, at any moment of the plugin host's start", async () => {
    const pids: number[] = [];
    for (let round = 0; round < 10; round++) {
      const folder = join(home.path, `gone-${round}`);
      mkdirSync(folder);
      const { child, pipes } = spawnHost({ env: {}, cwd: folder });
      // Spread over the time that a start takes.
      await pause(round * 25);
      rmSync(folder, { recursive: true });
      for (const pipe of Object.values(pipes)) pipe.destroy();
      pids.push(child.pid ?? 0);
    }
    for (const pid of pids) await gone(pid);
  });

  it("[PL-11] takes along what its plugins started", async () => {
    await gone(await orphan("began(String(processes.spawn('sleep', ['60'], { stdio: 'ignore' }).pid));"));
    await gone(Number(readFileSync(began(), "utf8")));
  });
});

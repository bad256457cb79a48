/** Plugins that break while they are loaded, in real processes: each is set aside by name, and the others run. */
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OUR_TOOLS } from "#app/plugins.js";
import { allTools } from "#app/tools.js";
import { systemClock } from "#base/clock.js";
import { randomIds } from "#base/ids.js";
import type { PluginLimits } from "#plugin/limits.js";
import type { SessionStore } from "#session/store.js";
import { createProcesses } from "#tool/terminal/processes.js";
import { link, type PluginHome, pluginHome } from "./support/plugin-home.js";

let home: PluginHome;
beforeEach(() => {
  home = pluginHome();
});
afterEach(() => home.remove());

const tool = (name: string, run = "() => 'fine'") => `export function register(talaria: any): void {
  talaria.tool({ name: "${name}", description: "for a test", effect: "read-only", run: ${run} });
}`;
const plain = (name: string) => tool(name).replaceAll(/: (?:any|void)\b/g, "");
const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

/** Loads the broken one between two good ones, so that what comes before and after it is seen to live. */
async function loadBeside(code: string, limits?: Partial<PluginLimits>) {
  home.addPlain("a-good", plain("before"));
  home.add("broken", code);
  home.addPlain("z-good", plain("after"));
  const plugins = await home.open(limits);
  const [failure, ...more] = plugins.failures();
  expect(more).toEqual([]);
  return { plugins, failure };
}

/** Waited for in vain: everything else breaks by itself. */
const IN_VAIN = /not loaded within 3 s/;
const BROKEN: readonly (readonly [what: string, code: string, reason: RegExp])[] = [
  ["throws", "throw new Error('no luck');", /no luck \(index\.ts:1\)/],
  [
    "throws in register",
    "\nexport function register() { throw new TypeError('not today'); }",
    /not today \(index\.ts:2\)/,
  ],
  ["throws what is no Error", "throw 'a string';", /a string/],
  ["exits the process", "process.exit(0);", /process\.exit\(0\)/],
  ["aborts the process", "process.abort();", /process\.abort/],
  ["kills its own process", "process.kill(process.pid, 'SIGKILL'); for (;;);", /killed the plugin host with SIGKILL/],
  ["ends the process past all names", "process.reallyExit(7);", /ended with code 7/],
  ["loops for ever", "\n\nfor (;;) {}", /index\.ts:3/],
  ["never ends its promise", "export const register = () => new Promise(() => {});", IN_VAIN],
  ["never ends its import", "await new Promise(() => {}); export function register() {}", IN_VAIN],
  ["rejects where nobody looks", "void Promise.reject(new Error('lost')); await new Promise(() => {});", /lost/],
  [
    "throws in a timer meanwhile",
    "setTimeout(() => { throw new Error('later'); }, 10); await new Promise(() => {});",
    /later/,
  ],
  ["prints without end", "for (;;) console.log('x'.repeat(200));", /floods/],
  [
    "prints without end and lets others run",
    "const more = () => { for (let i = 0; i < 2000; i++) console.error('y'); setImmediate(more); }; more(); await new Promise(() => {});",
    /floods/,
  ],
  ["logs without end", "export function register(t) { for (;;) t.log('z'); }", /floods/],
  [
    "writes to the line of the plugin host",
    "import fs from 'node:fs'; fs.writeSync(4, 'garbage\\n'); await new Promise(() => {});",
    /own line/,
  ],
  [
    "writes one endless line",
    "import fs from 'node:fs'; const a = Buffer.alloc(65536, 97); for (;;) fs.writeSync(4, a);",
    /more at once/,
  ],
  ["takes all memory in buffers", "const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1));", /memory/],
  [
    "takes all memory in objects",
    "const kept = []; for (;;) kept.push({ a: [1, 2, 3], b: {} });",
    /memory|index\.ts:1/,
  ],
  ["has a syntax error", "export function register( {", /index\.ts/],
  ["imports what is not there", "import './gone.js'; export function register() {}", /gone\.js/],
  ["exports no register", "export const somethingElse = 1;", /no function called register/],
  ["registers a tool with a wrong name", tool("Not-A-Name"), /lower-case/],
  [
    "registers a tool without an object schema",
    "export function register(t) { t.tool({ name: 'a', description: 'b', input: { type: 'string' }, run() {} }); }",
    /type: "object"/,
  ],
  [
    "registers the same tool twice",
    "export function register(t) { const x = { name: 'a', description: 'b', run() {} }; t.tool(x); t.tool(x); }",
    /registered twice/,
  ],
];

describe("a plugin that breaks while it is loaded", () => {
  it.each(BROKEN)("[PL-3] is set aside by name when it %s", async (_what, code, reason) => {
    const { plugins, failure } = await loadBeside(code, reason === IN_VAIN ? { loadMs: 3_000 } : {});
    expect(failure).toMatchObject({ plugin: "broken", kind: "broken", text: expect.stringMatching(reason) });
    // At once, and not after three attempts.
    expect(failure?.text).not.toContain("times");
    expect(names(plugins.tools)).toEqual(["before", "after"]);
    expect(plugins.listed()).toMatchObject([
      { name: "a-good" },
      { name: "broken", about: failure?.text },
      { name: "z-good" },
    ]);
    const signal = new AbortController().signal;
    for (const { run } of plugins.tools) {
      expect(await run({}, { signal } as never)).toEqual({ kind: "ok", text: "fine" });
    }
    expect(home.state().setAside).toMatchObject([{ name: "broken", reason: expect.stringMatching(reason) }]);
    expect(statSync(join(home.pluginsDir, "state.json")).mode & 0o777).toBe(0o600);
  });

  it("[PL-3] stays aside at the next start, with the same words", async () => {
    await loadBeside("throw new Error('no luck');");
    const again = await home.open();
    expect(again.failures()).toMatchObject(
      [{ plugin: "broken", text: /no luck/ }].map((one) => ({ ...one, text: expect.stringMatching(one.text) })),
    );
    expect(home.log().match(/no luck/g)).toHaveLength(1);
  });

  it("[PL-4] never keeps a start waiting longer than the bound", async () => {
    home.addPlain("slow", "await new Promise(() => {});");
    const plugins = await home.open({ openWaitMs: 100, loadMs: 3_000 });
    // It is still being loaded: the start did not wait for what comes of it.
    expect(plugins.failures()).toEqual([]);
    await plugins.settled;
    expect(plugins.failures()).toMatchObject([{ plugin: "slow" }]);
  });

  it("[PL-4] waits for nothing when what the plugins register is known from the last time", async () => {
    const held = join(home.path, "held");
    const hold = `import fs from "node:fs"; while (fs.existsSync("${held}")) await new Promise((go) => setTimeout(go, 10));`;
    home.addPlain("slow", `${hold}\n${plain("slowly")}`);
    await (await home.open()).stop(1_000);
    writeFileSync(held, "");
    // Whoever waited for it would wait until it is set aside.
    const plugins = await home.open({ openWaitMs: 60_000 });
    expect(names(plugins.tools)).toEqual(["slowly"]);
    // The call waits for its plugin, within its own time.
    const signal = new AbortController().signal;
    const called = plugins.tools[0]?.run({}, { signal } as never);
    rmSync(held);
    expect(await called).toEqual({ kind: "ok", text: "fine" });
  });
});

describe("how plugins are written", () => {
  const register = "register(t) { t.tool({ name: 'fine', description: 'd', run: () => 'ok' }); }";
  it.each([
    [
      "TypeScript with its own files and enums",
      {
        "index.ts": `import { E } from "./lib/e.js"; import { f } from "./lib/f"; import type { Nothing } from "./none.js"; export function register(t: Nothing): void { t.tool({ name: f<string>(E.Fine), description: "d", run: () => "ok" }); }`,
        "lib/e.ts": `export enum E { Fine = "fine" }`,
        "lib/f.ts": "export const f = <T>(x: T): T => x;",
      },
    ],
    ["an ES module", { "index.mjs": `export function ${register}` }],
    ["a .js file with ES syntax", { "index.js": `export function ${register}` }],
    ["a CommonJS module", { "index.js": `module.exports = { ${register} };` }],
    ["a CommonJS module that is the function", { "index.cjs": `module.exports = function ${register}` }],
    [
      "a file of another name",
      { "src/main.ts": `export function ${register}`, "plugin.yaml": "name: good\nversion: 2\nmain: src/main.ts\n" },
    ],
  ])("[PL-2] may be %s", async (_what, files) => {
    mkdirSync(join(home.pluginsDir, "good", "lib"), { recursive: true });
    mkdirSync(join(home.pluginsDir, "good", "src"));
    home.add("good", "", files as unknown as Record<string, string>);
    const plugins = await home.open();
    expect(plugins.failures()).toEqual([]);
    expect(names(plugins.tools)).toEqual(["fine"]);
  });

  it("[PL-2] gives each a folder of its own, its name and its version", async () => {
    home.add(
      "keeper",
      `import { writeFileSync } from "node:fs";
      export function register(t: any) { writeFileSync(t.storage + "/kept", t.name + " " + t.version); }`,
    );
    const plugins = await home.open();
    expect(plugins.failures()).toEqual([]);
    expect(statSync(join(home.pluginsDir, ".storage", "keeper")).mode & 0o777).toBe(0o700);
    expect(statSync(join(home.pluginsDir, ".storage", "keeper", "kept")).size).toBe("keeper 1.0.0".length);
  });

  it("[PL-6] sees none of our settings and nobody's secrets", async () => {
    process.env["TALARIA_TEST_SETTING"] = "x";
    process.env["MY_API_KEY"] = "sk-secret";
    home.add("looker", "export function register(t) { t.log('ENV ' + Object.keys(process.env).join(' ') + ' END'); }");
    await home.open();
    delete process.env["TALARIA_TEST_SETTING"];
    delete process.env["MY_API_KEY"];
    const [line] = /ENV .* END/.exec(home.log()) ?? [];
    expect(line).toMatch(/\bPATH\b/);
    expect(line).not.toMatch(/TALARIA_|MY_API_KEY|NODE_OPTIONS/);
  });
});

describe("what is not run at all", () => {
  it("[PL-3] anything, when the disk refuses the plugins' folders; the start goes on", async () => {
    home.add("good", tool("fine"));
    writeFileSync(join(home.pluginsDir, ".storage"), "a file where a folder should be");
    const plugins = await home.open();
    expect(plugins.tools).toEqual([]);
    expect(plugins.failures()).toMatchObject([{ plugin: null, text: expect.stringContaining("cannot be used") }]);
  });

  it("[PL-1] a plugin that nobody enabled", async () => {
    mkdirSync(join(home.pluginsDir, "quiet"));
    writeFileSync(join(home.pluginsDir, "quiet", "plugin.yaml"), "name: quiet\n");
    writeFileSync(join(home.pluginsDir, "quiet", "index.js"), "process.exit(1)");
    const plugins = await home.open();
    expect(plugins).toMatchObject({ hooks: [], tools: [], commands: [], platforms: [], pid: undefined });
    expect(plugins.failures()).toEqual([]);
  });

  it("[PL-2] a file outside the plugin's folder, by a link or by its path", async () => {
    const outside = join(home.path, "outside.js");
    writeFileSync(outside, "process.exit(1)");
    home.add("by-path", "", { "index.ts": "", "plugin.yaml": "name: by-path\nmain: ../../outside.js\n" });
    home.add("by-root", "", { "index.ts": "", "plugin.yaml": `name: by-root\nmain: ${outside}\n` });
    home.add("by-link", "", { "index.ts": "" });
    link(outside, join(home.pluginsDir, "by-link", "index.js"));
    home.add("by-manifest", "export function register() {}", { "plugin.yaml": "" });
    link(join(home.pluginsDir, "by-path", "plugin.yaml"), join(home.pluginsDir, "by-manifest", "plugin.yaml"));
    const plugins = await home.open();
    const found = Object.fromEntries(plugins.failures().map(({ plugin, text }) => [plugin, text]));
    expect(found["by-path"]).toMatch(/leads out of the plugin's folder/);
    expect(found["by-root"]).toMatch(/no file/);
    expect(found["by-link"]).toMatch(/leads out of the plugin's folder/);
    expect(found["by-manifest"]).toMatch(/not a plain file/);
    expect(plugins.pid).toBeUndefined();
  });

  it("[PL-3] anything, when the state file is damaged; the start goes on", async () => {
    home.add("good", tool("fine"));
    writeFileSync(join(home.pluginsDir, "state.json"), '{"enabled": ["go');
    const plugins = await home.open();
    expect(plugins.tools).toEqual([]);
    expect(plugins.failures()).toMatchObject([{ plugin: null, text: expect.stringContaining("is damaged") }]);
  });
});

describe("names", () => {
  it("[PL-5] keeps the names of all our own tools", () => {
    const processes = createProcesses({ clock: systemClock, newId: randomIds });
    const wish = { store: {} as SessionStore, processes, disabled: [], allowsPrivate: false };
    const ours = allTools(wish, { runChild: async () => Promise.reject(new Error("not here")) });
    expect(names(ours).sort()).toEqual([...OUR_TOOLS].sort());
  });

  it("[PL-5] leaves a tool out whose name is taken by ours or by a plugin before it, and says so", async () => {
    home.add(
      "one",
      `export function register(t) { for (const name of ["read_file", "shared", "mine"]) t.tool({ name, description: "d", run: () => "one" });
      t.command({ name: "help", summary: "s", run: () => "" }); t.command({ name: "both", summary: "s", run: () => "one" }); }`,
    );
    home.add(
      "two",
      `export function register(t) { t.tool({ name: "shared", description: "d", effect: "read-only", run: () => "two" });
      t.command({ name: "both", summary: "s", run: () => "two" }); t.on("on_session_sideways", () => {}); }`,
    );
    const plugins = await home.open();
    expect(names(plugins.tools)).toEqual(["shared", "mine"]);
    expect(await plugins.tools[0]?.run({}, {} as never)).toMatchObject({ text: "one" });
    expect(names(plugins.commands)).toEqual(["both"]);
    const texts = plugins.failures().map(({ plugin, kind, text }) => `${kind} ${plugin}: ${text}`);
    expect(texts).toEqual([
      "remark one: its tool read_file is left out: Talaria itself has one of that name",
      "remark one: its command help is left out: Talaria itself has one of that name",
      "remark two: no hook is called on_session_sideways; it hears nothing",
      "remark two: its tool shared is left out: plugin one has one of that name",
      "remark two: its command both is left out: plugin one has one of that name",
    ]);
  });

  it("[PL-5] leaves out what a manifest with lists does not name", async () => {
    home.add(
      "strict",
      `export function register(t) { for (const name of ["told", "untold"]) t.tool({ name, description: "d", run() {} });
      t.on("post_tool_call", () => {}); t.platform({ name: "fax" }); }`,
      {
        "plugin.yaml": "name: strict\ntools: [told]\nhooks: []\n",
      },
    );
    const plugins = await home.open();
    expect(names(plugins.tools)).toEqual(["told"]);
    expect(plugins.hooks[0]?.on).toEqual([]);
    expect(plugins.platforms).toEqual([{ name: "fax", plugin: "strict" }]);
    expect(plugins.failures().map(({ text }) => text)).toEqual([
      expect.stringContaining("hook post_tool_call is not in the manifest"),
      expect.stringContaining("tool untold is not in the manifest"),
    ]);
  });
});

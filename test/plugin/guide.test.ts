/** The example of the guide, taken from the guide, run as it stands there. */
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { API_TYPES, writeTemplate } from "#app/plugin-template.js";
import { packageRoot } from "#base/package-root.js";
import { type PluginHome, pluginHome } from "./support/plugin-home.js";

let home: PluginHome;
beforeEach(() => {
  home = pluginHome();
});
afterEach(() => home.remove());

const guide = readFileSync(join(packageRoot(), "docs", "guide", "plugins.md"), "utf8");
/** Up to the fence that begins a line: the code has template strings of its own. */
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(guide)?.[1] ?? "";

it("[PL-2] the example of the guide does what the guide says", async () => {
  home.add("notes", block("ts"), { "plugin.yaml": block("yaml") });
  const plugins = await home.open();
  expect(plugins.failures()).toEqual([]);
  const [hook] = plugins.hooks;
  const signal = new AbortController().signal;
  const ask = (name: "pre_llm_call" | "pre_tool_call", payload = {}) => hook?.call({ name, payload }, signal);
  const say = (words: string) => plugins.commands[0]?.run({ surface: "terminal" } as never, words);

  expect(await ask("pre_llm_call")).toBeUndefined();
  expect(await say("")).toMatchObject({ say: ["No notes."] });
  const [tool] = plugins.tools;
  expect(await tool?.guard?.({}, {} as never)).toMatchObject({ kind: "ask" });
  expect(await tool?.run({ line: "buy milk" }, { call: "c1", signal } as never)).toEqual({
    kind: "ok",
    text: "Noted (c1).",
  });
  expect(await ask("pre_llm_call")).toEqual({ context: "The person's notes:\nbuy milk\n" });
  expect(await say("milk")).toMatchObject({ say: ["buy milk"] });
  expect(await ask("pre_tool_call", { tool_name: "write_file", args: { path: "notes.txt" } })).toMatchObject({
    action: "block",
  });
  expect(await ask("pre_tool_call", { tool_name: "write_file", args: { path: "a.txt" } })).toBeUndefined();
  await hook?.call({ name: "on_session_finalize", key: "k", payload: { session_id: "s", reason: "shutdown" } }, signal);
  expect(home.log()).toContain("a session ended k s shutdown");
  expect(hook?.on).toEqual(["pre_llm_call", "pre_tool_call", "on_session_finalize"]);
});

it("[PL-2] the example and the template are right by the types that are shipped", async () => {
  home.add("notes", block("ts"), { "plugin.yaml": block("yaml") });
  copyFileSync(join(packageRoot(), API_TYPES), join(home.pluginsDir, "notes", "talaria.d.ts"));
  await writeTemplate(home.pluginsDir, "greeter");
  const config = {
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      noEmit: true,
      skipLibCheck: true,
      module: "nodenext",
      target: "es2023",
      types: ["node"],
      typeRoots: [join(packageRoot(), "node_modules", "@types")],
    },
    files: ["notes/index.ts", "greeter/index.ts"],
  };
  const project = join(home.pluginsDir, "tsconfig.json");
  writeFileSync(project, JSON.stringify(config));
  const compiler = join(packageRoot(), "node_modules", "typescript7", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
  expect(stdout).toBe("");
});

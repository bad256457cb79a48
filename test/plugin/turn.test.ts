/** Plugins in a real host, with real turns: what breaks is the plugin, never the turn and never the start. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runCli } from "../cli/support/run.js";
import { useStage } from "../rpc/support/stage.js";

const call = (name: string, args: object = {}) => ({ name, arguments: args });
const stage = useStage([
  { when: { user: "shout", steps: 0 }, calls: [call("shout", { text: "milk" })] },
  { when: { user: "shout" }, text: "It was shouted." },
  { when: { user: "leave", steps: 0 }, calls: [call("leave")] },
  { when: { user: "leave" }, text: "It left." },
  {
    when: { user: "plan", steps: 0 },
    calls: [call("read_file", { path: "plan.txt" })],
  },
  { when: { user: "plan" }, text: "Planned." },
  { text: "Fine." },
]);

const GOOD = `export function register(talaria: any): void {
  talaria.tool({ name: "shout", description: "Shout a text.", effect: "read-only",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }: any, { report }: any) => { report("shouting"); return text.toUpperCase() + "!"; } });
  talaria.on("post_tool_call", ({ payload }: any) => talaria.log("HEARD " + payload.toolName + " " + payload.conversationId));
  talaria.on("pre_llm_call", () => ({ context: "The plugin says: be brief." }));
}`;

/** Restarts the host with these plugins enabled, as if each had been loaded at another time. */
async function restartWith(plugins: Readonly<Record<string, string>>): Promise<void> {
  await stage.endHost("SIGTERM");
  const folder = join(stage.place.home, "plugins");
  for (const [name, code] of Object.entries(plugins)) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name, "plugin.yaml"), `name: ${name}\nversion: 1.0.0\n`);
    writeFileSync(join(folder, name, "index.ts"), code);
  }
  writeFileSync(join(folder, "state.json"), JSON.stringify({ version: 1, enabled: Object.keys(plugins).sort() }));
  await stage.startHost();
}

/** A start does not wait for plugins it knows nothing of, or not for long: what a test uses has to be there. */
async function loaded(...names: string[]): Promise<void> {
  const known = (): string[] => {
    const state = readFileSync(join(stage.place.home, "plugins", "state.json"), "utf8");
    return Object.keys((JSON.parse(state) as { known?: object }).known ?? {}).sort();
  };
  await vi.waitFor(() => expect(known()).toEqual(names), 30_000);
}

async function ask(text: string) {
  const client = await stage.open("socket");
  const { session_id: id } = await client.call("session.create", { cols: 80, cwd: stage.place.cwd });
  await client.call("prompt.submit", { session_id: id, text });
  const end = await client.turnEnd(id);
  const results = client.of(id).flatMap(({ type, payload }) => (type === "tool.complete" ? [payload] : []));
  return { client, id, end: end.payload, results };
}

const log = () => readFileSync(join(stage.place.home, "logs", "talaria.log"), "utf8");

describe("a host with plugins", () => {
  it("[PL-4] starts and answers with plugins that throw, hang, flood and exit at load, and doctor names them", {
    timeout: 150_000,
  }, async () => {
    await restartWith({
      exits: "process.exit(1);",
      floods: "for (;;) console.log('x');",
      good: GOOD,
      hangs: "for (;;) {}",
      sleeps: "await new Promise(() => {});",
      throws: "throw new Error('no luck');",
    });
    const { end } = await ask("hello");
    expect(end).toMatchObject({ status: "complete", text: "Fine." });
    await vi.waitFor(() => expect(log()).toContain("set aside: no luck"), 60_000);
    // The log is written at once, what doctor reads a little later.
    await vi.waitFor(async () => {
      const { stdout, code } = await runCli(["doctor"], { home: stage.place.home, env: stage.place.env });
      expect(code).toBe(0);
      for (const name of ["exits", "floods", "hangs", "sleeps", "throws"])
        expect(stdout).toContain(`${name} was set aside:`);
      expect(stdout).toContain("1 of 6 enabled ones runs");
    }, 30_000);
  });

  it("[PL-2] lets the model use a plugin's tool, tells the plugin, and takes its context", async () => {
    await restartWith({ good: GOOD });
    await loaded("good");
    const { id, end, results } = await ask("shout it");
    expect(end).toMatchObject({ status: "complete", text: "It was shouted." });
    expect(results).toMatchObject([{ name: "shout", outcome: "ok", result: expect.stringContaining("MILK!") }]);
    await vi.waitFor(() => expect(log()).toContain(`HEARD shout ${id}`), 30_000);
    expect(JSON.stringify(stage.model.exchanges)).toContain("be brief");
  });

  it("[PL-9] goes on with a turn whose tool ends the plugin host, in words for the model", async () => {
    await restartWith({
      good: GOOD,
      leaver:
        "export function register(t: any) { t.tool({ name: 'leave', description: 'd', effect: 'read-only', run: () => process.exit(3) }); }",
    });
    await loaded("good", "leaver");
    const { end, results } = await ask("leave now");
    expect(end).toMatchObject({ status: "complete", text: "It left." });
    expect(results).toMatchObject([
      { name: "leave", outcome: "error", error: expect.stringContaining("process.exit(3)") },
    ]);
    expect((await ask("shout it")).results).toMatchObject([{ outcome: "ok" }]);
  });

  it("[PL-8] denies a call with the reason when a plugin that guards it hangs, and the turn goes on", async () => {
    await restartWith({
      guard: "export function register(t: any) { t.on('pre_tool_call', () => new Promise(() => {})); }",
    });
    await loaded("guard");
    const { end, results } = await ask("plan it");
    expect(end).toMatchObject({ status: "complete", text: "Planned." });
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).toMatch(/plugin:guard/);
  });

  it("[PL-4] stops in time while a plugin blocks", async () => {
    await restartWith({
      wild: "export function register(t: any) { t.on('on_session_start', () => { for (;;) {} }); t.on('pre_llm_call', () => { for (;;) {} }); }",
    });
    await loaded("wild");
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cols: 80, cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    const beganMs = performance.now();
    await stage.endHost("SIGTERM");
    // A plugin that blocks would go on for ever.
    expect(performance.now() - beganMs).toBeLessThan(30_000);
  });
});

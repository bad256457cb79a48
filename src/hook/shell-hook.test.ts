/** Shell hooks as real processes: what they are told, what they may answer, and how they end. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { removeFolder } from "../../test/support/remove-folder.js";
import type { Hook, HookEvent } from "./hook.js";
import { HOOK_OUTPUT_BYTES_MAX } from "./shell-command.js";
import { type ShellHookSpec, shellHook, shellHookName } from "./shell-hook.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-hook-"));
afterAll(() => removeFolder(folder));

const PATH = process.env["PATH"] ?? "/usr/bin:/bin";
const never = new AbortController().signal;

function made(spec: Partial<ShellHookSpec> & { readonly command: string }): Hook {
  const hook = shellHook(
    { event: "on_session_end", ...spec },
    { clock: systemClock, cwd: folder, environment: ({ session }) => ({ PATH, TALARIA_SESSION_ID: session }) },
  );
  if (hook === undefined) throw new Error("nothing was made");
  return hook;
}

const about = (payload: HookEvent["payload"] = {}, name: HookEvent["name"] = "on_session_end"): HookEvent => ({
  name,
  key: "7:shell",
  payload: { session_id: "s1", conversation_id: "c1", platform: "cli", ...payload },
});

describe("a shell hook", () => {
  it("[HK-7] reads one JSON object of the reference's shape on standard input", async () => {
    await made({ command: "cat > told.json" }).call(about({ completed: true }), never);
    expect(JSON.parse(readFileSync(join(folder, "told.json"), "utf8"))).toEqual({
      hook_event_name: "on_session_end",
      configured_event: "on_session_end",
      tool_name: null,
      tool_input: null,
      session_id: "s1",
      conversation_id: "c1",
      cwd: folder,
      delivery_key: "7:shell",
      extra: { platform: "cli", completed: true, telemetry_schema_version: "hermes.observer.v1" },
    });
  });

  it("[HK-7] is told a tool's name and arguments where the reference has them", async () => {
    const payload = { tool_name: "terminal", args: { command: "ls" }, cwd: "/work", tool_call_id: "x" };
    await made({ event: "pre_tool_call", command: "cat > tool.json" }).call(about(payload, "pre_tool_call"), never);
    expect(JSON.parse(readFileSync(join(folder, "tool.json"), "utf8"))).toMatchObject({
      tool_name: "terminal",
      tool_input: { command: "ls" },
      cwd: "/work",
      extra: { tool_call_id: "x" },
    });
  });

  it("[HK-7] answers by JSON on standard output; anything else is talk", async () => {
    const answer = (command: string) => made({ command }).call(about(), never);
    expect(await answer(`echo '{"context":"it rains"}'`)).toEqual({ context: "it rains" });
    expect(await answer("echo hello")).toBeUndefined();
    expect(await answer("true")).toBeUndefined();
  });

  it("[HK-7] fails by an exit code, in the words of standard error", async () => {
    await expect(made({ command: "echo sorry >&2; exit 3" }).call(about(), never)).rejects.toThrow(
      "exit code 3: sorry",
    );
    await expect(made({ command: "kill -9 $$" }).call(about(), never)).rejects.toThrow("a signal ended it");
    await expect(made({ command: "no-such-program-at-all" }).call(about(), never)).rejects.toThrow("exit code 127");
  });

  it("[HK-7] blocks a call by exit code 2, and only a call", async () => {
    const command = "echo 'not today' >&2; exit 2";
    const call = about({ tool_name: "terminal" }, "pre_tool_call");
    expect(await made({ event: "pre_tool_call", command }).call(call, never)).toEqual({
      action: "block",
      message: "not today",
    });
    await expect(made({ command }).call(about(), never)).rejects.toThrow("exit code 2: not today");
    const spoken = `echo '{"decision":"block","reason":"mine"}'; exit 1`;
    expect(await made({ event: "pre_tool_call", command: spoken }).call(call, never)).toMatchObject({ reason: "mine" });
  });

  it.each([
    [
      "is too long",
      `head -c ${HOOK_OUTPUT_BYTES_MAX} /dev/zero | tr '\\0' ' '; echo '{"decision":"block"}'`,
      "was cut",
    ],
    ["is broken JSON", `echo '{"decision":"block", not json'`, "cannot be read"],
  ])("[HK-4] whose answer %s has not let a call pass; elsewhere it changes nothing", async (_, command, why) => {
    const call = about({ tool_name: "terminal" }, "pre_tool_call");
    await expect(made({ event: "pre_tool_call", command }).call(call, never)).rejects.toThrow(why);
    expect(await made({ event: "pre_tool_call", command: "echo all is well" }).call(call, never)).toBeUndefined();
    const asked = about({}, "pre_llm_call");
    expect(await made({ event: "pre_llm_call", command }).call(asked, never)).toBeUndefined();
  });

  it("[HK-7] with a matcher hears of the tools it names, whole names only", async () => {
    const command = "echo '{\"n\":1}'";
    const hook = made({ event: "post_tool_call", matcher: "write_.*|patch", command });
    const heard = async (tool: string) => hook.call(about({ tool_name: tool }, "post_tool_call"), never);
    expect(await heard("write_file")).toEqual({ n: 1 });
    expect(await heard("patch")).toEqual({ n: 1 });
    expect(await heard("dispatch")).toBeUndefined();
    expect(await heard("read_file")).toBeUndefined();
  });

  it("[HK-7] of one command hears of that command", async () => {
    const hook = made({ event: "command:new", command: "cat >> command.json" });
    expect(hook.on).toEqual(["command:*"]);
    for (const command of ["undo", "new"]) await hook.call({ name: "command:*", payload: { command } }, never);
    const told = JSON.parse(readFileSync(join(folder, "command.json"), "utf8")) as { hook_event_name: string };
    expect(told.hook_event_name).toBe("command:new");
  });

  it("[HK-7] is killed with all it started when its time is up", async () => {
    const command = "(sleep 30; echo late > late) & echo $! > pid; wait";
    const late = new AbortController();
    const run = made({ command }).call(about(), late.signal);
    while (!existsSync(join(folder, "pid")) || readFileSync(join(folder, "pid"), "utf8") === "")
      await systemClock.sleep(5);
    late.abort(new Error("too late"));
    await expect(run).rejects.toThrow("too late");
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("[HK-7] that leaves something running has ended when it has", async () => {
    const hook = made({ command: `sleep 30 & echo $! > left; echo '{"n":1}'` });
    const startMs = systemClock.monotonicMs();
    expect(await hook.call(about(), never)).toEqual({ n: 1 });
    expect(systemClock.monotonicMs() - startMs).toBeLessThan(25_000);
    process.kill(Number(readFileSync(join(folder, "left"), "utf8")));
  });

  it("[HK-7] that says too much, or does not listen, is no trouble", async () => {
    const loud = made({ command: `head -c ${4 * HOOK_OUTPUT_BYTES_MAX} /dev/zero | tr '\\0' x` });
    expect(await loud.call(about({ result: "x".repeat(1_000_000) }), never)).toBeUndefined();
  });

  it("[HK-7] has a name that holds over restarts and changes with what it runs", () => {
    const spec = { event: "on_session_end", command: "x" };
    expect(shellHookName(spec)).toMatch(/^shell:on_session_end:[0-9a-f]{8}$/);
    expect(shellHookName({ ...spec, timeoutS: 9 })).toBe(shellHookName(spec));
    expect(shellHookName({ ...spec, command: "y" })).not.toBe(shellHookName(spec));
    expect(shellHookName({ ...spec, matcher: "z" })).not.toBe(shellHookName(spec));
  });

  it("of an event that nobody tells of is none", () => {
    const parts = { clock: systemClock, cwd: folder, environment: () => ({}) };
    expect(shellHook({ event: "on_full_moon", command: "x" }, parts)).toBeUndefined();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

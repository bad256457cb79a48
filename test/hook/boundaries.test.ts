/** Boundaries of sessions through the real program and real shell hooks [BH]. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type HookHome, hookHome, NOTE, named } from "./support.js";

const TIME_MS_MAX = 180_000;
/** Nobody waits for a hook: a whole chat takes less than one that hangs would, by far. */
const HOOK_SECONDS = 300;
const CHAT_MS_MAX = 60_000;
const note = [{ command: NOTE }];
const BOUNDARIES = {
  on_session_start: note,
  on_session_end: note,
  on_session_finalize: note,
  on_session_reset: note,
};

let home: HookHome;
afterEach(() => home.end());

describe("/new", () => {
  it("[BH-1] [BH-2] [BH-3] tells of the old session's end, then of the new one, each once", {
    timeout: TIME_MS_MAX,
  }, async () => {
    home = hookHome({ ...BOUNDARIES, on_session_finalize: [{ command: `sleep 0.5; ${NOTE}` }] });
    const { stdout, stderr } = await home.talk("hello", "/new", "/quit");
    expect(stdout + stderr).toMatch(/New session|Session reset/);
    const heard = await home.untilHeard((all) =>
      ["on_session_start", "on_session_reset"].every((name) => named(all, name).length > 0),
    );
    const [started] = named(heard, "on_session_start");
    const [finalized, ...more] = named(heard, "on_session_finalize");
    const [reset, ...others] = named(heard, "on_session_reset");
    expect([more, others]).toEqual([[], []]);
    expect(finalized).toMatchObject({
      session_id: started?.session_id,
      conversation_id: started?.conversation_id,
      extra: { platform: "cli", reason: "new_session", old_session_id: started?.session_id },
    });
    expect(reset).toMatchObject({
      session_id: finalized?.extra["new_session_id"],
      extra: { platform: "cli", reason: "new_session", old_session_id: started?.session_id },
    });
    expect(heard.indexOf(finalized as never)).toBeLessThan(heard.indexOf(reset as never));
  });

  it("[BH-1] [BH-2] by its other name does the same", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome(BOUNDARIES);
    await home.talk("hello", "/reset", "/quit");
    const heard = await home.untilHeard((all) => named(all, "on_session_reset").length > 0);
    expect(named(heard, "on_session_finalize")).toHaveLength(1);
  });

  it.each([
    ["fails", "exit 1"],
    ["hangs", "sleep 1000"],
    ["cannot be found", "/no/such/program"],
  ])(
    "[BH-6] [BH-13] is not stopped by a hook that %s, nor is anything else of a chat",
    {
      timeout: TIME_MS_MAX,
    },
    async (_how, command) => {
      const bad = [{ command, timeout: HOOK_SECONDS }];
      home = hookHome({
        on_session_start: bad,
        on_session_end: bad,
        on_session_finalize: bad,
        on_session_reset: bad,
        post_llm_call: bad,
        "agent:start": bad,
      });
      const fromMs = performance.now();
      const { code, stdout, stderr } = await home.talk("hello", "/new", "hello again", "/quit");
      expect(performance.now() - fromMs).toBeLessThan(CHAT_MS_MAX);
      expect(code).toBe(0);
      expect(stdout + stderr).toMatch(/New session|Session reset/);
      expect(stdout.match(/not an AI\]/g)).toHaveLength(2);
    },
  );

  it("[BH-6] keeps a hook's failure with its name: in the log, the list and the doctor", {
    timeout: TIME_MS_MAX,
  }, async () => {
    home = hookHome({ on_session_finalize: [{ command: "echo no network >&2; exit 3" }] });
    await home.talk("hello", "/new", "/quit");
    const name = /shell:on_session_finalize:[0-9a-f]{8}/;
    await expect.poll(() => home.log()).toMatch(name);
    expect(home.log()).toContain("exit code 3: no network");
    // The log is written at once, what is kept with the hook a little later.
    const listed = async () => (await home.json<{ hooks: object[] }>(["hooks", "list"])).hooks;
    await expect.poll(listed).toMatchObject([{ state: "failing", error: "exit code 3: no network" }]);
    const { stdout } = await home.run(["doctor"]);
    expect(stdout).toMatch(/warn {2}hooks +shell:on_session_finalize/);
  });
});

describe("every boundary", () => {
  it("[BH-15] is balanced over a life with everything in it", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome(BOUNDARIES);
    await home.talk("one", "two", "/new", "three", "/quit");
    await home.run(["chat", "-q", "four"]);
    const [newest] = await home.sessions();
    await home.run(["chat", "-r", newest?.id ?? "", "-q", "five"]);
    // Each kind has a hook of its own here, and hooks hear beside each other: all of them have to have heard.
    const wanted = { on_session_start: 4, on_session_end: 5, on_session_finalize: 4 };
    const heard = await home.untilHeard((all) =>
      Object.entries(wanted).every(([name, count]) => named(all, name).length >= count),
    );
    const openings = new Map<string, string[]>();
    for (const { session_id, hook_event_name } of heard) {
      if (hook_event_name === "on_session_reset") continue;
      openings.set(session_id, [...(openings.get(session_id) ?? []), hook_event_name]);
    }
    const [start, end, final] = ["on_session_start", "on_session_end", "on_session_finalize"];
    const counted = [...openings.values()].map((names) =>
      [start, end, final].map((name) => names.filter((one) => one === name).length),
    );
    // Starts, turns and ends: two turns; one turn; two openings of one session with a turn each.
    expect(counted.map(String).sort()).toEqual(["1,1,1", "1,2,1", "2,2,2"]);
    expect(new Set(heard.map(({ delivery_key }) => delivery_key)).size).toBe(heard.length);
  });
});

describe("hooks that step in", () => {
  it("[HK-4] [HK-7] a script blocks a call by its exit code, and the person sees why", {
    timeout: TIME_MS_MAX,
  }, async () => {
    home = hookHome({
      pre_tool_call: [{ matcher: "terminal", command: "grep -q touch && { echo 'not here' >&2; exit 2; } || true" }],
      post_tool_call: note,
    });
    const { stderr } = await home.run(["chat", "-q", "run touch made", "--yolo"]);
    expect(stderr).toMatch(/refused: not here \(by the hook shell:pre_tool_call/);
    const heard = await home.untilHeard((all) => all.length === 1);
    expect(heard[0]).toMatchObject({ tool_name: "terminal", extra: { status: "denied" } });
  });

  it("[HK-5] [HK-7] a script adds to what the model reads", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome({ pre_llm_call: [{ command: `echo '{"context":"It rains."}'` }] });
    await home.run(["chat", "-q", "hello"]);
    const [session] = await home.sessions();
    const messages = await home.messages(session?.id ?? "");
    expect(messages.map(({ role }) => role)).toEqual(["user", "note", "assistant"]);
    expect(messages[1]?.body).toMatchObject({ context: "It rains." });
  });
});

it("[HK-7] a hook's environment holds none of our secrets or settings, and says whom it is about", {
  timeout: TIME_MS_MAX,
}, async () => {
  home = hookHome({ on_session_end: [{ command: `env > environment; ${NOTE}` }] });
  const secrets = { OPENAI_API_KEY: "sk-secret-1", MY_TOKEN: "secret-2", TALARIA_LOGS_LEVEL: "debug", KEPT: "yes" };
  await home.run(["chat", "-q", "hello"], { env: secrets });
  const [heard] = await home.untilHeard((all) => all.length > 0);
  const environment = readFileSync(join(home.path, "environment"), "utf8");
  expect(environment).not.toMatch(/secret|TALARIA_LOGS/);
  expect(environment).toContain("KEPT=yes");
  expect(environment).toContain(`TALARIA_HOME=${home.path}`);
  expect(environment).toContain(`TALARIA_SESSION_ID=${heard?.session_id}`);
});

describe("leave to run", () => {
  const waiting = { hooks_auto_accept: false };

  it("[HK-8] is asked for once a start, and nothing runs without it", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome(BOUNDARIES, waiting);
    const { stderr } = await home.run(["chat", "-q", "hello"]);
    expect(stderr.match(/4 configured hooks need your leave/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(home.heard()).toEqual([]);
    const { stdout } = await home.run(["hooks", "list"]);
    expect(stdout.match(/needs consent/g)).toHaveLength(4);
    expect((await home.run(["doctor"])).stdout).toMatch(/warn {2}hooks +4 need your leave/);
  });

  it("[HK-8] is given and taken back by name, and by a variable for one start", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome({ on_session_end: note, on_session_start: note }, waiting);
    await home.run(["hooks", "allow", "shell:on_session_end"]);
    const state = async () => {
      const { hooks } = await home.json<{ hooks: { event: string; state: string }[] }>(["hooks", "list"]);
      return Object.fromEntries(hooks.map((hook) => [hook.event, hook.state]));
    };
    expect(await state()).toEqual({ on_session_end: "allowed", on_session_start: "needs-consent" });
    await home.run(["chat", "-q", "hello"]);
    const heard = await home.untilHeard((all) => all.length > 0);
    expect(heard.map(({ hook_event_name }) => hook_event_name)).toEqual(["on_session_end"]);
    expect(await home.json(["hooks", "revoke", "--all"])).toEqual({ revoked: 1 });
    await home.run(["host", "stop"]);
    expect(await state()).toEqual({ on_session_end: "needs-consent", on_session_start: "needs-consent" });
    const accept = { env: { TALARIA_ACCEPT_HOOKS: "1" } };
    const { hooks } = await home.json<{ hooks: { state: string }[] }>(["hooks", "list"], accept);
    expect(hooks.map((hook) => hook.state)).toEqual(["allowed", "allowed"]);
  });

  it("[HK-8] is for a command line: one that was changed asks again", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome({ on_session_end: note }, waiting);
    await home.run(["hooks", "allow", "--all"]);
    const other = { TALARIA_HOOKS: JSON.stringify({ on_session_end: [{ command: "true" }] }) };
    const { hooks } = await home.json<{ hooks: { state: string }[] }>(["hooks", "list"], { env: other });
    expect(hooks).toMatchObject([{ state: "needs-consent" }]);
  });
});

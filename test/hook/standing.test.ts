/** What a person sees of hooks that fail when they are asked, wait for leave, or that the running host does not know. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type HookHome, hookHome } from "./support.js";

const TIME_MS_MAX = 180_000;
let home: HookHome;
afterEach(() => home.end());

interface Check {
  readonly check: string;
  readonly verdict: string;
  readonly text: string;
}
const listed = async () =>
  (await home.json<{ hooks: { name: string; state: string; error: string | null }[] }>(["hooks", "list"])).hooks;
const doctored = async (): Promise<readonly Check[]> =>
  (await home.json<{ checks: Check[] }>(["doctor"])).checks.filter(({ check }) => check === "hooks");

describe("a guard", () => {
  it.each([
    ["exits with 1", "echo sorry >&2; exit 1", /sorry/],
    ["cannot be found", "/no/such/guard", /no\/such\/guard/],
    ["hangs", "sleep 100", /did not end within 5 s/],
  ])(
    "[HK-4] that %s is shown with its words by hooks list and doctor, until it answers",
    {
      timeout: TIME_MS_MAX,
    },
    async (_, command, words) => {
      const switched = `if [ -e "$TALARIA_HOME/mended" ]; then exit 0; fi; ${command}`;
      home = hookHome({ pre_tool_call: [{ command: switched }] });
      expect((await listed())[0]?.state).toBe("allowed");
      await home.run(["chat", "-q", "run echo hello"]);
      await expect
        .poll(listed, { timeout: 30_000 })
        .toMatchObject([{ state: "failing", error: expect.stringMatching(words) }]);
      expect(await doctored()).toMatchObject([{ verdict: "warn", text: expect.stringMatching(/is refused: .+/s) }]);
      const { stdout } = await home.run(["hooks", "list"]);
      expect(stdout).toMatch(words);
      expect(stdout.replace(/\s+/g, " ")).toContain("Every call that it guards is refused.");
      writeFileSync(join(home.path, "mended"), "");
      await home.run(["chat", "-q", "run echo hello"]);
      await expect.poll(listed, { timeout: 30_000 }).toMatchObject([{ state: "allowed", error: null }]);
      expect(await doctored()).toMatchObject([{ verdict: "ok" }]);
    },
  );
});

describe("leave that was given or taken back beside a running host", () => {
  it("[HK-8] is told as such until the host is restarted", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome({ pre_tool_call: [{ command: "true" }] }, { hooks_auto_accept: false });
    await home.run(["host", "start"]);
    const status = () => home.run(["host", "status"]);
    expect((await status()).stdout).toMatch(/^hooks +0 called, 1 needs your leave: talaria hooks list$/m);
    expect(await doctored()).toMatchObject([{ verdict: "warn", text: "1 needs your leave to run" }]);
    await home.run(["hooks", "allow", "--all"]);
    expect(await listed()).toMatchObject([{ state: "next-start" }]);
    expect(await doctored()).toMatchObject([{ verdict: "warn", text: expect.stringMatching(/does not call shell:/) }]);
    await home.run(["host", "restart"]);
    expect(await listed()).toMatchObject([{ state: "allowed" }]);
    expect((await status()).stdout).toMatch(/^hooks +1 called$/m);
    await home.run(["hooks", "revoke", "--all"]);
    expect(await listed()).toMatchObject([{ state: "still-called" }]);
    expect(await doctored()).toMatchObject([{ verdict: "warn", text: expect.stringMatching(/still calls shell:/) }]);
  });

  it("[HK-8] is asked for in words when a hook is tried out", { timeout: TIME_MS_MAX }, async () => {
    home = hookHome({ on_session_end: [{ command: "true" }] }, { hooks_auto_accept: false });
    const { stdout, code } = await home.run(["hooks", "test", "on_session_end"]);
    expect(stdout).toMatch(/it is not run: it needs your leave/);
    expect(code).toBe(1);
  });
});

/** What a person does with a gateway from a shell: sends, hands over, installs; and what hooks and webhooks do to it. */
import { createHmac } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { until } from "../host/support/host-home.js";
import { freePort } from "../support/free-port.js";
import { type OpsHome, opsHome } from "./support/ops-home.js";

let home: OpsHome;
afterEach(() => home.remove());

const CONSOLE = "platforms: { console: { owners: [me], home: me } }\ngateway: { drain_seconds: 0 }\n";

interface Sent {
  readonly state: string;
  readonly ids: readonly string[];
  readonly receipts: readonly string[];
  readonly gatewayRuns: boolean;
}

describe("talaria send", () => {
  it("[CT-3] stores a message while nothing runs; the next gateway sends it, before what comes later, once", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    const first = await home.cli(["send", "--to", "console:me", "first", "words"]);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("when the gateway runs") });
    expect(await home.cli(["send", "--to", "console", "--wait", "0", "second"])).toMatchObject({ code: 6 });
    await home.gateway();
    const me = await home.sit();
    const third = await home.json<Sent>(["send", "--to", "console", "--wait", "45", "third"]);
    expect(third).toMatchObject({ state: "sent", gatewayRuns: true });
    expect(third.receipts).toHaveLength(1);
    expect(me.shown.map((text) => text.split("\n").at(-1))).toEqual(["first words", "second", "third"]);
  });

  it("[CT-3] splits what is too long for one message", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    const sent = await home.json<Sent>(["send", "--to", "console", `${"word ".repeat(5_000)}`]);
    expect(sent).toMatchObject({ state: "queued", parts: 2, gatewayRuns: false });
  });

  it.each([
    [["--to", "telgram:4"], 2, /did you mean telegram\?/],
    [["--to", "telegram:4"], 2, /telegram is not configured/],
    [["--to", "irc"], 2, /irc has no home chat/],
    [["--to", "slack:C1"], 1, /platforms\.slack\.bot_token/],
    [["--to", "console:"], 2, /names no chat/],
    [["--to", "console", "--account", "other"], 2, /console has no account other, and nothing was sent\n.*main/],
    [["--to", "console", "--file", "/no/such/file"], 1, /takes no files/],
  ])("[GW-41] owes nothing when %j leads nowhere", async (args, code, words) => {
    home = opsHome();
    home.configure(`${CONSOLE}`.replace("platforms: {", "platforms: { slack: {}, irc: { host: h, nick: n },"));
    const run = await home.cli(["send", ...args, "hello"]);
    expect(run).toMatchObject({ code, stderr: expect.stringMatching(words) });
    expect(await home.json(["gateway", "status"])).toMatchObject({ owed: [] });
  });
});

describe("/handoff", () => {
  it("[GW-40] goes on in the owner's chat: what is said there belongs to the conversation", async () => {
    home = opsHome();
    home.configure(CONSOLE);
    await home.gateway();
    const me = await home.sit();
    const line = await home.line();
    const { session_id } = await line.call("session.create", {});
    await line.call("prompt.submit", { session_id, text: "from the terminal" });
    const status = async (): Promise<number> => (await line.call("host.status", {})).working;
    await until(async () => (await status()) === 0, "the turn ends");
    const answer = await line.call("slash.exec", { session_id, command: "handoff" });
    expect(JSON.stringify(answer)).toContain("It goes on in console:me");
    await me.sees(/continues here/);
    await me.say("from the chat");
    await until(() => me.shown.length >= 2, "it answers there");
    line.close();
    const { stdout } = await home.cli(["sessions", "show", session_id]);
    expect(stdout).toContain("from the terminal");
    expect(stdout).toContain("from the chat");
  });

  it("[GW-40] is refused for a chat of somebody else", async () => {
    home = opsHome();
    home.configure("platforms: { console: { owners: [me], allow: [you], home: you } }\n");
    await home.gateway();
    const line = await home.line();
    const { session_id } = await line.call("session.create", {});
    await line.call("prompt.submit", { session_id, text: "mine" });
    await until(async () => (await line.call("host.status", {})).working === 0, "the turn ends");
    const answer = await line.call("slash.exec", { session_id, command: "handoff" });
    line.close();
    expect(JSON.stringify(answer)).toContain("not known as a chat of yours");
    expect(await home.json(["gateway", "status"])).toMatchObject({ owed: [] });
  });
});

describe("talaria gateway install", () => {
  it("writes a unit that starts this home, and leaves alone what somebody changed", async () => {
    home = opsHome();
    home.configure("gateway: { drain_seconds: 7 }\n");
    const path = join(home.path, ".config", "systemd", "user", "talaria-gateway.service");
    const printed = await home.cli(["gateway", "install", "--print"]);
    expect(existsSync(path)).toBe(false);
    expect(await home.cli(["gateway", "install"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("enable --now"),
    });
    const unit = readFileSync(path, "utf8");
    expect(unit).toBe(printed.stdout);
    expect(unit).toContain(`"--home" "${home.path}" "gateway" "run"`);
    expect(unit).toMatch(/^RestartForceExitStatus=75$/m);
    expect(unit).toMatch(/^TimeoutStopSec=22$/m);
    expect(await home.cli(["gateway", "install"])).toMatchObject({ code: 0 });
    appendFileSync(path, "Nice=5\n");
    expect(await home.cli(["gateway", "install"])).toMatchObject({ code: 1 });
    expect(await home.cli(["gateway", "uninstall"])).toMatchObject({ code: 1 });
    expect(readFileSync(path, "utf8")).toContain("Nice=5");
    expect(await home.cli(["gateway", "uninstall", "--force"])).toMatchObject({ code: 0 });
    expect(existsSync(path)).toBe(false);
  });
});

describe("hooks of a gateway", () => {
  it("[GW-47] hear of its start, and may leave messages out or rewrite them", async () => {
    home = opsHome({ TALARIA_ACCEPT_HOOKS: "1" });
    const script = join(home.path, "hook.sh");
    const seen = join(home.path, "seen.txt");
    writeFileSync(
      script,
      `read -r line; echo "$line" >> ${seen}
case "$line" in
  *secretword*) echo '{"action":"skip","reason":"not here"}';;
  *tomorow*) echo '{"action":"rewrite","text":"put right: tomorrow"}';;
esac
`,
    );
    home.configure(`${CONSOLE}hooks:
  gateway:startup: [{ command: "sh ${script}" }]
  pre_gateway_dispatch: [{ command: "sh ${script}" }]
`);
    await home.gateway();
    const me = await home.sit();
    await me.say("the secretword");
    await me.say("see you tomorow");
    await me.sees(/demo model/);
    await until(() => /gateway:startup.*console/.test(readFileSync(seen, "utf8")), "the start is heard of");
    expect(readFileSync(seen, "utf8")).toMatch(/pre_gateway_dispatch.*agent:main:console:dm:me/);
    const { stdout } = await home.cli(["sessions", "list", "--json"]);
    expect(stdout).not.toContain("secretword");
    expect(JSON.stringify(await home.json(["sessions", "search", "tomorrow"]))).toContain("put right");
  });
});

describe("a platform that calls", () => {
  it("[GW-46] comes in by the host's port, signed, and is answered once; the page of health tells how it is", async () => {
    home = opsHome();
    const port = await freePort();
    const secret = "0123456789abcdef-webhook";
    home.configure(
      `platforms: { webhook: { secret: ${secret}, allow: ["u1"] } }\nhost: { port: ${port} }\ngateway: { drain_seconds: 0 }\n`,
    );
    await home.gateway();
    const root = `http://127.0.0.1:${port}`;
    type Health = { readonly platforms: readonly { readonly state: string; readonly last_received: number | null }[] };
    const health = async (): Promise<Health> => (await (await fetch(`${root}/health`)).json()) as Health;
    await until(async () => (await health()).platforms[0]?.state === "up", "it is up");
    const body = JSON.stringify({ id: "e1", chat: "u1", user: "u1", text: "hello" });
    const time = String(Math.floor(systemClock.nowMs() / 1_000));
    const signed = createHmac("sha256", secret).update(`${time}..${body}`).digest("hex");
    const call = async (signature: string): Promise<number> => {
      const headers = { "X-Talaria-Timestamp": time, "X-Talaria-Signature": `sha256=${signature}` };
      return (await fetch(`${root}/platforms/webhook`, { method: "POST", body, headers })).status;
    };
    expect(await call("0".repeat(64))).toBe(401);
    expect([await call(signed), await call(signed)]).toEqual([200, 200]);
    expect((await fetch(`${root}/platforms/nothing/`, { method: "POST" })).status).toBe(404);
    expect((await health()).platforms[0]?.last_received).toBeGreaterThan(0);
    expect(JSON.stringify(await health())).not.toContain(secret);
    const { sessions } = await home.json<{ sessions: readonly unknown[] }>(["sessions", "list"]);
    expect(sessions).toHaveLength(1);
  });
});

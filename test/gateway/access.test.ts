/** Pairing and commands through a gateway that is a process: by the program's own commands, and over kills. */
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../host/support/host-home.js";
import { sample } from "../support/sample.js";
import { type OpsHome, opsHome } from "./support/ops-home.js";

let home: OpsHome;
afterEach(() => home.remove());

const CLOSED = "platforms: { console: { owners: [me], pairing: true } }\ngateway: { drain_seconds: 0 }\n";

interface Pairings {
  readonly pending: readonly { platform: string; sender: string }[];
  readonly granted: readonly { sender: string; role: string; by: string }[];
}

describe("talaria pairing", () => {
  it("[GW-2] [GW-5] lets somebody in while the gateway runs: they are told, answered, and shut out again", async () => {
    home = opsHome();
    home.configure(CLOSED);
    await home.gateway();
    const eve = await home.sit("eve");
    await eve.say("hello");
    await eve.sees(/pairing code: \S{8}/);
    await eve.say("/status");
    await eve.say("please");
    expect(await home.json<Pairings>(["pairing", "list"])).toMatchObject({
      pending: [{ platform: "console", sender: "eve" }],
      granted: [],
    });
    const slip = await home.cli(["pairing", "approve", "WRONG222"]);
    expect(slip).toMatchObject({ code: 2, stderr: expect.stringContaining("WRONG222 is no code") });
    const wrong = await home.cli(["pairing", "approve", "WRNG2222"]);
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining("no such code is out") });
    const code = /code: (\S{8})/.exec(eve.shown.join("\n"))?.[1] ?? "";
    const approved = await home.json(["pairing", "approve", code.toLowerCase()]);
    expect(approved).toMatchObject({ approved: "console:eve", role: "member" });
    await eve.sees(/^You are in\./);
    await eve.say("hello again");
    await eve.sees(/demo model/);
    expect(eve.shown.filter((text) => /pairing code/.test(text))).toHaveLength(1);
    expect((await home.json<Pairings>(["pairing", "list"])).granted).toMatchObject([
      { sender: "eve", role: "member", by: "terminal" },
    ]);
    expect(await home.json(["pairing", "revoke", "console:eve"])).toEqual({ revoked: "console:eve" });
    const before = eve.shown.length;
    await eve.say("/version");
    await eve.sees(/pairing code(?!.*pairing code)/s);
    await until(() => eve.shown.length > before, "a stranger is a stranger");
    expect(eve.shown.slice(before).some((text) => /Talaria \d/.test(text))).toBe(false);
  });

  it("works without a host, and who was let in meanwhile is told by the next gateway", async () => {
    home = opsHome();
    home.configure(CLOSED);
    const gateway = await home.gateway();
    const eve = await home.sit("eve");
    await eve.say("hello");
    await eve.sees(/pairing code/);
    gateway.child.kill("SIGKILL");
    await gateway.done;
    const code = /code: (\S{8})/.exec(eve.shown.join("\n"))?.[1] ?? "";
    expect((await home.cli(["pairing", "approve", code, "--owner"])).stdout).toMatch(/console:eve .*is in as an owner/);
    await home.gateway();
    const back = await home.sit("eve");
    await back.sees(/You are in, as an owner/);
  });
});

describe("a command in a chat", () => {
  it.each(sample(["chat.command-stored", "chat.command-ran", "chat.before-finish"]))(
    "[GW-6] [CT-1] [CT-2] is answered once when the gateway is killed at %s",
    async (point) => {
      home = opsHome();
      home.configure(CLOSED);
      const first = await home.gateway({ TALARIA_FAULT: point });
      const me = await home.sit();
      me.say("/version", "m1").catch(() => undefined);
      expect(await first.done).toMatchObject({ signal: "SIGKILL" });
      await home.gateway();
      const again = await home.sit();
      await again.say("/version", "m1");
      await again.sees(/^Talaria \d/);
      await again.say("/whoami");
      await again.sees(/^person: /);
      expect(again.shown.filter((text) => /^Talaria \d/.test(text))).toHaveLength(1);
    },
  );
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { demoAnswer } from "#model/demo/demo-script.js";
import { ABANDONED_TEXT } from "#session/tool-call.js";
import { type ChatHome, chatHome } from "./support/chat.js";

let home: ChatHome;
beforeEach(() => {
  home = chatHome();
});
afterEach(() => home.remove());

describe("the demo model in a chat", () => {
  it("[MD-10] names a conversation by the person's words alone", async () => {
    expect(await home.run(["chat", "-q", "hello"])).toMatchObject({ code: 0 });
    const titled = await home.sessionsWhen(([session]) => session?.title !== null);
    expect(titled).toMatchObject([{ title: "Demo: hello" }]);
  });

  it("[MD-10] asks before it reads outside, and says what is true when it is denied", async () => {
    const asked = await home.run(["chat", "-q", "read /etc/hostname"]);
    expect(asked.code).toBe(6);
    expect(asked.stdout + asked.stderr).toContain("because it reads /etc/hostname, outside the working directory");
    const denied = await home.run(["chat", "-c", "--deny"]);
    expect(denied.stdout).toContain("read_file: you did not allow it, so nothing was run.");
    expect(denied.stdout).not.toMatch(/real result|Do not try/);
  });

  it("[MD-10] knows the program's words for calls that were cut off", () => {
    const said = (text: string): string =>
      demoAnswer({
        system: [],
        messages: [{ role: "tool", results: [{ id: "a", name: "terminal", text, isError: true }] }],
        tools: [],
        toolChoice: "auto",
      }).text;
    expect(said(ABANDONED_TEXT.interrupted)).toContain("interrupted before it finished");
    expect(said(ABANDONED_TEXT.unknown)).toContain("nobody knows whether it had its effect");
  });

  it("[MD-10] says that what never runs was not run", async () => {
    const { stdout } = await home.run(["chat", "-q", "run rm -rf /"]);
    expect(stdout).toMatch(/this never runs, whatever you allow\. Nothing was run:\n> Refused: /);
    expect(stdout).not.toMatch(/do it another way|real result/);
  });
});

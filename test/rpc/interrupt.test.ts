import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

overEveryLine(
  "interrupting and steering",
  [
    {
      when: { user: "stall" },
      text: "I begin to say something long",
      pieceChars: 4,
      fault: { kind: "stall", at: 2_000 },
    },
    { when: { user: "sleep", steps: 0 }, calls: [{ name: "terminal", arguments: { command: "sleep 60" } }] },
    { when: { user: "wait", steps: 0 }, calls: [{ name: "terminal", arguments: { command: "cat ./gate" } }] },
    { when: { last: "use the other" }, text: "Steered." },
    { text: "Done." },
  ],
  (scene) => {
    it("[PR-21] ends the turn with what was said so far, then takes the next prompt", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      expect(await client.call("session.interrupt", { session_id: id })).toMatchObject({ status: "interrupted" });
      const { payload } = await client.turnEnd(id);
      expect(payload).toMatchObject({ status: "interrupted", outcome: "interrupted-by-user" });
      expect(String(payload?.["text"])).toMatch(/^I beg/);
      await client.call("prompt.submit", { session_id: id, text: "go on" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Done." });
    });

    it("[PR-21] a prompt right behind an interrupt is taken, or refused as busy until the end was told", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const [, again] = await Promise.all([
        client.ask("session.interrupt", { session_id: id }),
        client.ask("prompt.submit", { session_id: id, text: "next" }),
      ]);
      if (again.error !== undefined) {
        expect(again.error).toMatchObject({ code: 4009, message: expect.stringContaining("session busy") });
        await client.turnEnd(id);
        await client.call("prompt.submit", { session_id: id, text: "next" });
      } else await client.turnEnd(id);
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Done." });
    });

    it("[PR-21] ends a command that runs", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "sleep" });
      await client.event("tool.start");
      await client.call("session.interrupt", { session_id: id });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "interrupted" });
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages[0]).toMatchObject({ role: "user", text: "sleep" });
    });

    it("an interrupt of what rests changes nothing", async () => {
      const { client, id } = await scene.session();
      expect(await client.call("session.interrupt", { session_id: id })).toMatchObject({ status: "interrupted" });
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete" });
    });

    it("[PR-22] a steer joins the running turn and its history", async () => {
      const { execFileSync } = await import("node:child_process");
      const { rmSync, writeFileSync } = await import("node:fs");
      const gate = `${scene.place.cwd}/gate`;
      rmSync(gate, { force: true });
      // The command waits until somebody writes: the turn is running for sure while the steer is sent.
      execFileSync("mkfifo", [gate]);
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "wait for me" });
      await client.event("tool.start");
      const steered = await client.call("session.steer", { session_id: id, text: "use the other" });
      expect(steered).toMatchObject({ status: "queued", text: "use the other" });
      writeFileSync(gate, "opened\n");
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Steered." });
      expect(client.of(id).filter(({ type }) => type === "message.start")).toHaveLength(1);
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.flatMap((row) => (row.role === "user" ? [row.text] : []))).toEqual([
        "wait for me",
        "use the other",
      ]);
    });

    it("[PR-22] a steer without words is refused, one without a turn is rejected or becomes a prompt", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      expect(await client.fails("session.steer", { session_id: id, text: "" })).toMatchObject({ code: 4002 });
      const { status } = await client.call("session.steer", { session_id: id, text: "more" });
      expect(status).toBe("rejected");
    });
  },
);

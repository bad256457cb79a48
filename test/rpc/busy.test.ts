import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

overEveryLine(
  "a busy session",
  [
    { when: { user: "stall" }, text: "I begin", pieceChars: 2, fault: { kind: "stall", at: 1_500 } },
    { when: { user: "second" }, text: "Second answer." },
    { text: "Done." },
  ],
  (scene) => {
    it("[PR-23] refuses a prompt without an id of the client's own and stores nothing of it", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const refused = await client.fails("prompt.submit", { session_id: id, text: "second" });
      expect(refused).toMatchObject({ code: 4009, message: expect.stringContaining("session busy") });
      expect(await client.call("session.queue", { session_id: id })).toMatchObject({ inputs: [{ state: "taken" }] });
      await client.call("session.interrupt", { session_id: id });
      await client.turnEnd(id);
      // As a terminal client does it: once more when the end was told.
      await client.call("prompt.submit", { session_id: id, text: "second" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ text: "Second answer." });
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.flatMap((row) => (row.role === "user" ? [row.text] : []))).toEqual(["stall", "second"]);
    });

    it("[PR-24] keeps a prompt with an id, shows it in the queue and runs it next, once", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const second = { session_id: id, text: "second", client_message_id: `m-${id}` };
      const queued = await client.call("prompt.submit", second);
      expect(queued).toMatchObject({ status: "queued", input_id: expect.any(String) });
      expect(await client.call("prompt.submit", second)).toMatchObject({
        status: "duplicate",
        input_id: queued.input_id,
      });
      const { inputs } = await client.call("session.queue", { session_id: id });
      expect(inputs).toMatchObject([
        { id: queued.input_id, mode: "queue", state: "queued", text: "second" },
        { mode: "queue", state: "taken" },
      ]);
      await client.call("session.interrupt", { session_id: id });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "interrupted" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ text: "Second answer." });
      expect(await client.call("prompt.submit", second)).toMatchObject({ status: "duplicate" });
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.flatMap((row) => (row.role === "user" ? [row.text] : []))).toEqual(["stall", "second"]);
    });

    it("[PR-24] withdraws what waits", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const waits = { session_id: id, text: "never mind", client_message_id: `n-${id}` };
      const input_id = String((await client.call("prompt.submit", waits)).input_id);
      expect(await client.call("session.queue.cancel", { session_id: id, input_id })).toEqual({ status: "cancelled" });
      expect(await client.call("session.queue.cancel", { session_id: id, input_id: "x" })).toEqual({
        status: "unknown",
      });
      await client.call("session.interrupt", { session_id: id });
      await client.turnEnd(id);
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.flatMap((row) => (row.role === "user" ? [row.text] : []))).toEqual(["stall"]);
    });

    it("[PR-24] a prompt that interrupts ends the turn and runs", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const mode = { mode: "interrupt", client_message_id: `i-${id}` } as const;
      await client.call("prompt.submit", { session_id: id, text: "second", ...mode });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "interrupted" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ text: "Second answer." });
    });

    it("refuses what a running turn forbids", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      expect(await client.fails("session.undo", { session_id: id })).toMatchObject({ code: 4009 });
      expect(await client.fails("session.compress", { session_id: id })).toMatchObject({ code: 4009 });
      expect(await client.fails("session.delete", { session_id: id })).toMatchObject({ code: 4023 });
      await client.call("session.interrupt", { session_id: id });
      await client.turnEnd(id);
    });
  },
);

import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

const LONG = "A long paragraph that says little. ".repeat(120);

overEveryLine(
  "undo, branch, compress, close, delete",
  [
    { when: { tools: false, user: "long" }, text: "## What happened\nThey spoke at length." },
    { when: { user: "long" }, text: LONG, pieceChars: 400 },
    { text: "Answered." },
  ],
  (scene) => {
    async function spoken(
      ...texts: readonly string[]
    ): Promise<{ client: Awaited<ReturnType<typeof scene.client>>; id: string }> {
      const { client, id } = await scene.session();
      for (const text of texts) {
        await client.call("prompt.submit", { session_id: id, text });
        await client.turnEnd(id);
      }
      return { client, id };
    }
    const saidIn = async (client: Awaited<ReturnType<typeof scene.client>>, id: string): Promise<string[]> =>
      (await client.call("session.resume", { session_id: id })).messages.flatMap((row) =>
        row.role === "user" ? [row.text] : [],
      );

    it("[PR-28] undo takes back the last exchange and says how much that was", async () => {
      const { client, id } = await spoken("first", "second");
      expect(await client.call("session.undo", { session_id: id })).toMatchObject({ removed: 2, text: "second" });
      expect(await saidIn(client, id)).toEqual(["first"]);
      expect(await client.call("session.undo", { session_id: id })).toMatchObject({ removed: 2 });
      expect(await client.call("session.undo", { session_id: id })).toMatchObject({ removed: 0 });
    });

    it("[PR-29] a branch is a conversation of its own with the history so far", async () => {
      const { client, id } = await spoken("first");
      const branch = await client.call("session.branch", { session_id: id, name: `Aside over ${scene.kind}` });
      expect(branch).toMatchObject({ parent: id, title: `Aside over ${scene.kind}` });
      expect(branch.session_id).not.toBe(id);
      await client.call("prompt.submit", { session_id: branch.session_id, text: "only here" });
      await client.turnEnd(branch.session_id);
      expect(await saidIn(client, branch.session_id)).toEqual(["first", "only here"]);
      expect(await saidIn(client, id)).toEqual(["first"]);
    });

    it("[PR-29] there is nothing to branch before the first message", async () => {
      const { client, id } = await scene.session();
      expect(await client.fails("session.branch", { session_id: id })).toMatchObject({ code: 4008 });
    });

    it("[PR-30] compressing keeps the id, moves the tip and answers with rows that have text", async () => {
      const { client, id } = await spoken("long one", "long two", "long three", "long four", "short");
      const before = (await client.call("session.find", { text: id })) as { card: { tip_session_id: string } };
      const done = await client.call("session.compress", { session_id: id });
      expect(done.summary.noop).toBe(false);
      expect(done.after_tokens).toBeLessThan(done.before_tokens);
      expect(done.messages.length).toBeGreaterThan(0);
      for (const row of done.messages) expect("text" in row || "context" in row).toBe(true);
      const after = (await client.call("session.find", { text: id })) as { card: { tip_session_id: string } };
      expect(after.card.tip_session_id).not.toBe(before.card.tip_session_id);
      const whole = await client.call("session.history", { session_id: id });
      expect(whole.messages.flatMap((row) => (row.role === "user" ? [row.text] : []))).toEqual([
        "long one",
        "long two",
        "long three",
        "long four",
        "short",
      ]);
      expect(whole).toMatchObject({ count: whole.messages.length, has_older: false });
      expect(await client.call("session.resume", { session_id: before.card.tip_session_id })).toMatchObject({
        session_id: id,
      });
      const told = client.of(id).map((event) => `${event.type} ${String(event.payload?.["kind"] ?? "")}`.trim());
      const answered = told.lastIndexOf("status.update status");
      expect(told.indexOf("status.update compressing")).toBeGreaterThan(-1);
      expect(answered).toBeGreaterThan(told.lastIndexOf("session.info") - 1);
    });

    it("[PR-30] compressing what is short changes nothing and says so", async () => {
      const { client, id } = await spoken("short");
      const done = await client.call("session.compress", { session_id: id });
      expect(done).toMatchObject({ removed: 0, summary: { noop: true, headline: expect.any(String) } });
      expect(await saidIn(client, id)).toEqual(["short"]);
    });

    it("[PR-31] closing ends the session for this client, and it can come back", async () => {
      const { client, id } = await spoken("hello");
      expect(await client.call("session.close", { session_id: id })).toEqual({ closed: true });
      expect(await client.call("session.close", { session_id: "nowhere" })).toEqual({ closed: false });
      const { sessions } = await client.call("session.active_list", {});
      expect(sessions.map((one) => one.id)).not.toContain(id);
      expect(await saidIn(client, id)).toEqual(["hello"]);
    });

    it("[PR-32] deletes what is closed, and nothing that is open", async () => {
      const { client, id } = await spoken("hello");
      expect(await client.fails("session.delete", { session_id: id })).toMatchObject({ code: 4023 });
      await client.call("session.close", { session_id: id });
      expect(await client.call("session.delete", { session_id: id })).toEqual({ deleted: id });
      expect(await client.fails("session.resume", { session_id: id })).toMatchObject({ code: 4007 });
      expect(await client.fails("session.delete", { session_id: id })).toMatchObject({ code: 4007 });
      expect(await client.fails("session.delete", { session_id: "" })).toMatchObject({ code: 4006 });
    });
  },
  { config: "compression:\n  protect_first: 1\n  protect_last: 2\n" },
);

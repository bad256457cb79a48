import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

overEveryLine(
  "titles and coming back",
  [
    { when: { user: "stall" }, text: "I begin", pieceChars: 2, fault: { kind: "stall", at: 1_500 } },
    { text: "Hello." },
  ],
  (scene) => {
    const title = (what: string): string => `${what} over ${scene.kind}`;

    it("[PR-25] keeps a title that was given before the first message", async () => {
      const { client, id } = await scene.session();
      const wanted = title("Groceries");
      const set = await client.call("session.title", { session_id: id, title: wanted });
      expect(set).toMatchObject({ title: wanted, pending: expect.any(Boolean) });
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      expect(await client.call("session.title", { session_id: id })).toMatchObject({ title: wanted, session_key: id });
      const { sessions } = await client.call("session.list", { limit: 500 });
      expect(sessions.find((one) => one.id === id)).toMatchObject({ title: wanted, message_count: 2 });
    });

    it("[PR-25] refuses a title that is empty, too long or taken", async () => {
      const { client, id } = await scene.session();
      await client.call("session.title", { session_id: id, title: title("Taken") });
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const other = await client.call("session.create", {});
      const refusal = (given: string): Promise<unknown> =>
        client.fails("session.title", { session_id: other.session_id, title: given });
      expect(await refusal(" ")).toMatchObject({ code: 4021 });
      expect(await refusal("x".repeat(101))).toMatchObject({ code: 4022 });
      expect(await refusal(title("Taken"))).toMatchObject({ code: 4022 });
    });

    it("a title made by itself shows in the list of what is open", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      // Never pushed to terminal clients: they see it because they ask again and again.
      for (let title = ""; title === ""; ) {
        const { sessions } = await client.call("session.active_list", { current_session_id: id });
        title = sessions.find((one) => one.id === id)?.title ?? "";
        if (title !== "") expect(title).toMatch(/^Scripted title/);
      }
    });

    it("[PR-26] resumes by id, by a prefix, by the tip's id and by title, always under the conversation's id", async () => {
      const { client, id } = await scene.session();
      const wanted = title("Find me");
      await client.call("prompt.submit", { session_id: id, text: "hello", title: wanted });
      const end = await client.turnEnd(id);
      await client.call("session.close", { session_id: id });
      const tip = String(end.payload?.["tip_session_id"]);
      for (const name of [id, id.slice(0, 10), tip, wanted]) {
        const back = await client.call("session.resume", { session_id: name, cols: 80 });
        expect(back).toMatchObject({ session_id: id, resumed: id, session_key: id, running: false, status: "idle" });
        expect(back).toMatchObject({ message_count: 2, inflight: null, info: { model: expect.any(String) } });
        expect(back.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      }
    });

    it("[PR-26] says no to what does not exist", async () => {
      const client = await scene.client();
      expect(await client.fails("session.resume", { session_id: "no such session" })).toMatchObject({ code: 4007 });
      expect(await client.fails("session.resume", { session_id: "" })).toMatchObject({ code: 4006 });
      expect(await client.fails("session.resume", {})).toMatchObject({ code: 4006 });
      expect(await client.fails("session.activate", { session_id: "nowhere" })).toMatchObject({ code: 4001 });
    });

    it("[PR-27] resuming what runs shows what was said so far, and the rest follows", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      await client.event("message.delta");
      const other = await scene.client();
      other.joinedInside.add(id);
      const back = await other.call("session.resume", { session_id: id });
      expect(back).toMatchObject({ running: true, status: "working", inflight: { user: "stall", streaming: true } });
      expect(back.inflight?.assistant).toMatch(/^I/);
      await other.call("session.interrupt", { session_id: id });
      expect((await other.turnEnd(id)).payload).toMatchObject({ status: "interrupted" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "interrupted" });
    });

    it("[PR-26] finds a conversation for a terminal, with what it needs to sit down", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello", title: title("Sit down") });
      await client.turnEnd(id);
      const found = await client.call("session.find", { text: title("Sit down") });
      expect(found).toMatchObject({
        kind: "found",
        by: "title",
        card: { id, cwd: scene.place.cwd, live_turn: null, last_exchange: { user: "hello", assistant: "Hello." } },
      });
      expect(await client.call("session.find", { text: "no such thing" })).toEqual({ kind: "unknown" });
    });

    it("lists what there is, the newest first, and what is most recent", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello newest" });
      await client.turnEnd(id);
      const { sessions } = await client.call("session.list", { limit: 2 });
      expect(sessions.length).toBeLessThanOrEqual(2);
      expect(sessions[0]).toMatchObject({ id, message_count: 2, preview: expect.stringContaining("hello") });
      expect(await client.call("session.most_recent")).toMatchObject({ session_id: id, source: sessions[0]?.source });
    });

    it("switches to another session that is open", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const second = await client.call("session.create", {});
      const shown = await client.call("session.activate", { session_id: id });
      expect(shown).toMatchObject({ session_id: id, running: false, status: "idle", message_count: 2 });
      const { sessions } = await client.call("session.active_list", { current_session_id: id });
      const ours = sessions.filter((one) => [id, second.session_id].includes(one.id));
      expect(ours.map(({ id, current }) => [id, current])).toEqual([
        [id, true],
        [second.session_id, false],
      ]);
    });
  },
);

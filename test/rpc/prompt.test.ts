import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

const ANSWER = "The quick brown fox jumps over the lazy dog.\nAnd back again, line by line.";

overEveryLine(
  "a prompt",
  [
    { when: { user: "count" }, text: "one two three", usage: { inputTokens: 100, outputTokens: 7 } },
    { when: { user: "odd" }, text: "a\u2028b\u2029c \u{1F99D} \u0000 end", pieceChars: 1 },
    { when: { user: "recovered" }, text: "Yes." },
    { when: { user: "fail" }, fault: { kind: "status", status: 401, message: "no such key" } },
    { text: ANSWER, pieceChars: 5 },
  ],
  (scene) => {
    it("[PR-13] streams the answer in pieces between one start and one end", async () => {
      const { client, id } = await scene.session();
      const answer = await client.call("prompt.submit", { session_id: id, text: "hello" });
      expect(answer).toMatchObject({ status: "streaming", session_id: id });
      const end = await client.turnEnd(id);
      expect(end).toMatchObject({ type: "message.complete", payload: { text: ANSWER, status: "complete" } });
      const deltas = client.of(id).filter(({ type }) => type === "message.delta");
      expect(deltas.length).toBeGreaterThan(1);
      expect(deltas.map(({ payload }) => payload?.["text"]).join("")).toBe(ANSWER);
      expect(client.of(id).filter(({ type }) => type === "message.start")).toHaveLength(1);
    });

    it("[PR-13] tells fresh usage at rest after every turn", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "count" });
      await client.turnEnd(id);
      const panel = client.of(id).findLast(({ type }) => type === "session.info");
      expect(panel?.payload).toMatchObject({ running: false, usage: { input: 100, output: 7, total: 107, calls: 1 } });
      expect(await client.call("session.usage", { session_id: id })).toMatchObject({ input: 100, output: 7, calls: 1 });
    });

    it("keeps text that breaks lines and lives outside the first plane as it is", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "odd \u2028 \u{1F99D}" });
      const { payload } = await client.turnEnd(id);
      expect(String(payload?.["text"])).toContain("a\u2028b\u2029c \u{1F99D}");
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages[0]).toMatchObject({ role: "user", text: "odd \u2028 \u{1F99D}" });
    });

    it("[PR-13] ends a turn that failed, says why and takes the next prompt", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "fail" });
      const end = await client.turnEnd(id);
      expect(JSON.stringify(end.payload)).toMatch(/no such key/);
      expect(end.type === "error" || end.payload?.["status"] === "error").toBe(true);
      await client.call("prompt.submit", { session_id: id, text: "recovered?" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ text: "Yes.", status: "complete" });
    });

    it("stores what was said: the transcript, the page and the export agree", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello there" });
      await client.turnEnd(id);
      const { messages, message_count } = await client.call("session.resume", { session_id: id });
      expect(messages.map((row) => [row.role, "text" in row ? row.text : ""])).toEqual([
        ["user", "hello there"],
        ["assistant", ANSWER],
      ]);
      expect(message_count).toBe(2);
      expect((await client.call("session.status", { session_id: id })).output).toContain(id);
      const { file } = await client.call("session.save", { session_id: id });
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, "utf8")).toContain("hello there");
    });

    it("[PR-14] refuses what cannot be said, and stores nothing of it", async () => {
      const { client, id } = await scene.session();
      expect(await client.fails("prompt.submit", { session_id: id, text: "" })).toMatchObject({ code: 4004 });
      expect(await client.fails("prompt.submit", { session_id: id, text: " \n" })).toMatchObject({ code: 4004 });
      expect(await client.fails("prompt.submit", { session_id: "nowhere", text: "x" })).toMatchObject({ code: 4001 });
      expect(await client.fails("prompt.submit", { text: "x" })).toMatchObject({ code: 4001 });
      const long = "x".repeat(1_000_001);
      expect(await client.fails("prompt.submit", { session_id: id, text: long })).toMatchObject({ code: -32_602 });
      expect((await client.call("session.list", { limit: 500 })).sessions.map((one) => one.id)).not.toContain(id);
    });

    it("[PR-15] drops the history behind an edited message", async () => {
      const { client, id } = await scene.session();
      for (const text of ["first", "second"]) {
        await client.call("prompt.submit", { session_id: id, text });
        await client.turnEnd(id);
      }
      await client.call("prompt.submit", { session_id: id, text: "better", truncate_before_user_ordinal: 1 });
      await client.turnEnd(id);
      const { messages } = await client.call("session.resume", { session_id: id });
      const said = messages.flatMap((row) => (row.role === "user" ? [row.text] : []));
      expect(said).toEqual(["first", "better"]);
      const bad = { session_id: id, text: "x", truncate_before_user_ordinal: 9 };
      expect(await client.fails("prompt.submit", bad)).toMatchObject({ code: 4018 });
    });
  },
);

overEveryLine(
  "a model that thinks",
  [{ reasoning: "Let me see.", text: "Seen." }],
  (scene) => {
    it("streams what the model thinks beside what it says", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "think" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ text: "Seen." });
      const thoughts = client.of(id).filter(({ type }) => type === "reasoning.delta");
      expect(thoughts.map(({ payload }) => payload?.["text"]).join("")).toBe("Let me see.");
    });
  },
  {
    // The chat wire that the other scenarios use has no reasoning.
    env: (model) => ({
      ANTHROPIC_BASE_URL: model.baseUrl("anthropic"),
      ANTHROPIC_API_KEY: "sk-ant-test-0123456789abcdef",
      TALARIA_MODEL: "anthropic/scripted",
    }),
  },
);

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

const read = (path: string): { name: string; arguments: object } => ({ name: "read_file", arguments: { path } });

overEveryLine(
  "tools",
  [
    { when: { user: "missing", steps: 0 }, calls: [read("no-such-file.txt")] },
    { when: { user: "missing" }, text: "It is not there." },
    { when: { user: "both", steps: 0 }, text: "I read both. ", calls: [read("notes.txt"), read("more.txt")] },
    { when: { user: "both" }, text: "Milk and bread." },
    {
      when: { user: "plan", steps: 0 },
      calls: [{ name: "todo", arguments: { todos: [{ id: "1", content: "look", status: "in_progress" }] } }],
    },
    { when: { user: "plan" }, text: "Planned." },
    { when: { user: "run", steps: 0 }, calls: [{ name: "terminal", arguments: { command: "echo first; echo last" } }] },
    { text: "It ran." },
  ],
  (scene) => {
    it("[PR-16] tells a tool's start and end by one id, and what it said", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "run it" });
      const start = await client.event("tool.start");
      const end = await client.event("tool.complete");
      expect(start.payload).toMatchObject({ name: "terminal", context: expect.stringContaining("echo first") });
      expect(end.payload?.["tool_id"]).toBe(start.payload?.["tool_id"]);
      expect(end.payload).toMatchObject({ name: "terminal", outcome: "ok", result: expect.stringContaining("last") });
      expect(end.payload).not.toHaveProperty("error");
      expect((await client.turnEnd(id)).payload).toMatchObject({ text: "It ran." });
    });

    it("[PR-16] tells two calls of one step apart, and the text around them", async () => {
      for (const [file, text] of [
        ["notes.txt", "milk\n"],
        ["more.txt", "bread\n"],
      ] as const) {
        writeFileSync(join(scene.place.cwd, file), text);
      }
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "read both" });
      await client.turnEnd(id);
      const of = (type: string): unknown[] =>
        client.of(id).flatMap((event) => (event.type === type ? [event.payload?.["tool_id"]] : []));
      expect(new Set(of("tool.start")).size).toBe(2);
      expect(of("tool.complete").sort()).toEqual(of("tool.start").sort());
      const results = client.of(id).filter(({ type }) => type === "tool.complete");
      const told = results.map(({ payload }) => String(payload?.["result"])).join();
      expect([told.includes("milk"), told.includes("bread")]).toEqual([true, true]);
    });

    it("[PR-16] marks a call that failed", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "read the missing one" });
      const { payload } = await client.event("tool.complete");
      expect(payload).toMatchObject({ outcome: "error", error: expect.any(String) });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "It is not there." });
    });

    it("[PR-17] shows calls as rows of the transcript", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "run it again" });
      await client.turnEnd(id);
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.map(({ role }) => role)).toEqual(["user", "tool", "assistant"]);
      expect(messages[1]).toMatchObject({ name: "terminal", context: expect.any(String) });
    });
  },
);

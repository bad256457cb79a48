import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

const remove = (what: string): { name: string; arguments: object } => ({
  name: "terminal",
  arguments: { command: `echo ${what} >> fired.log; rm -rf ./${what}` },
});
const asked = (question: string, choices: string[]): { name: string; arguments: object } => ({
  name: "clarify",
  arguments: { question, choices },
});

overEveryLine(
  "questions",
  [
    { when: { user: "two", steps: 0 }, calls: [remove("old"), remove("older")] },
    { when: { user: "one", steps: 0 }, calls: [remove("old")] },
    { when: { user: "pick", steps: 0 }, calls: [asked("Which colour?", ["red", "blue"])] },
    { when: { user: "open", steps: 0 }, calls: [asked("What name?", [])] },
    { text: "Done." },
  ],
  (scene) => {
    const at = (name: string): string => join(scene.place.cwd, name);
    const fired = (): string => (existsSync(at("fired.log")) ? readFileSync(at("fired.log"), "utf8") : "");
    beforeEach(() => {
      for (const name of ["old", "older"]) mkdirSync(at(name), { recursive: true });
      writeFileSync(at("fired.log"), "");
      return () => rmSync(at("fired.log"), { force: true });
    });

    it("[PR-18] runs a dangerous command once it is allowed, not before", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "one" });
      const { payload } = await client.event("approval.request");
      expect(payload).toMatchObject({
        command: expect.stringContaining("rm -rf ./old"),
        description: expect.any(String),
        pattern_keys: [payload?.["pattern_key"]],
        approval_id: expect.any(String),
      });
      expect(fired()).toBe("");
      expect(await client.call("approval.respond", { session_id: id, choice: "once" })).toMatchObject({ resolved: 1 });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Done." });
      expect([fired(), existsSync(at("old"))]).toEqual(["old\n", false]);
    });

    it("[PR-18] does not run what was denied, and tells the model", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "one" });
      await client.event("approval.request");
      await client.call("approval.respond", { session_id: id, choice: "deny" });
      expect((await client.event("tool.complete")).payload).toMatchObject({
        outcome: "denied",
        error: expect.any(String),
      });
      await client.turnEnd(id);
      expect([fired(), existsSync(at("old"))]).toEqual(["", true]);
    });

    it("[PR-19] asks one question at a time: the answer belongs to what is on the screen", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "two" });
      const first = await client.event("approval.request");
      await client.call("approval.respond", { session_id: id, choice: "deny" });
      const second = await client.event("approval.request");
      await client.call("approval.respond", { session_id: id, choice: "once" });
      await client.turnEnd(id);
      const commands = [first, second].map(({ payload }) => /rm -rf \.\/(\w+)/.exec(String(payload?.["command"]))?.[1]);
      expect(commands).toEqual(["old", "older"]);
      expect(fired()).toBe("older\n");
    });

    it("[PR-19] answers all that wait at once when asked to", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "two" });
      // What is asked later is a question of its own.
      for (let asked = 0; asked < 2; asked++) {
        await client.event("approval.request");
        const told = await client.call("approval.respond", { session_id: id, choice: "deny", all: true });
        expect(told.resolved).toBeGreaterThan(0);
      }
      await client.turnEnd(id);
      expect(fired()).toBe("");
      expect(await client.call("session.questions", { session_id: id })).toEqual({ questions: [] });
    });

    it("[PR-18] an answer for the session covers the next such command", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "one" });
      await client.event("approval.request");
      await client.call("approval.respond", { session_id: id, choice: "session" });
      await client.turnEnd(id);
      mkdirSync(at("old"), { recursive: true });
      await client.call("prompt.submit", { session_id: id, text: "one more" });
      await client.turnEnd(id);
      expect(client.of(id).filter(({ type }) => type === "approval.request")).toHaveLength(1);
      expect(fired()).toBe("old\nold\n");
    });

    it("[PR-19] answers by id the question that is meant, once", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "one" });
      const { payload } = await client.event("approval.request");
      const approval_id = String(payload?.["approval_id"]);
      const { questions } = await client.call("session.questions", { session_id: id });
      expect(questions).toMatchObject([{ approval_id, session_id: id, kind: "permission", tool: "terminal" }]);
      await client.call("approval.respond", { session_id: id, choice: "deny", approval_id });
      await client.turnEnd(id);
      const late = await client.ask("approval.respond", { session_id: id, choice: "once", approval_id });
      expect(late.error?.code ?? late.result?.["resolved"]).toSatisfy((told) => told === 0 || told === 4009);
      expect(fired()).toBe("");
    });

    it("an interrupt takes an open question back", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "one" });
      await client.event("approval.request");
      expect(await client.call("session.interrupt", { session_id: id })).toMatchObject({ status: "interrupted" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "interrupted" });
      expect(await client.call("session.questions", { session_id: id })).toEqual({ questions: [] });
      expect(fired()).toBe("");
    });

    it("[PR-20] asks for a choice and hands the answer to the model", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "pick" });
      const { payload } = await client.event("clarify.request");
      expect(payload).toMatchObject({ question: "Which colour?", choices: ["red", "blue"] });
      const request_id = String(payload?.["request_id"]);
      expect(await client.call("clarify.respond", { request_id, answer: "blue" })).toEqual({ status: "ok" });
      expect((await client.event("tool.complete")).payload).toMatchObject({
        name: "clarify",
        result: expect.stringContaining("blue"),
      });
      await client.turnEnd(id);
      expect(await client.fails("clarify.respond", { request_id, answer: "red" })).toMatchObject({ code: 4009 });
    });

    it("[PR-20] asks for words when there is nothing to choose from; none means that nobody answers", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "open" });
      const { payload } = await client.event("clarify.request");
      expect(payload).toMatchObject({ question: "What name?", choices: null });
      await client.call("clarify.respond", { request_id: String(payload?.["request_id"]), answer: "" });
      expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete" });
    });

    it("nobody asked for a password or a secret", async () => {
      const client = await scene.client();
      expect(await client.fails("sudo.respond", { request_id: "x", password: "y" })).toMatchObject({ code: 4009 });
      expect(await client.fails("secret.respond", { request_id: "x", value: "y" })).toMatchObject({ code: 4009 });
    });
  },
);

/** What a client does beside a turn: background prompts, commands, completion, files, the shell. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { overEveryLine } from "./support/stage.js";

overEveryLine(
  "beside a turn",
  [
    { when: { user: "behind" }, text: "Done behind your back." },
    {
      when: { user: "leave one", steps: 0 },
      calls: [{ name: "terminal", arguments: { command: "echo begun; sleep 600", background: true } }],
    },
    { text: "Hello." },
  ],
  (scene) => {
    beforeEach(() => {
      mkdirSync(join(scene.place.cwd, "folder"), { recursive: true });
      writeFileSync(join(scene.place.cwd, "shopping.txt"), "milk\n");
    });

    it("[PR-33] a background prompt answers at once and tells its result later", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const { task_id } = await client.call("prompt.background", { session_id: id, text: "work behind my back" });
      const { payload } = await client.event("background.complete");
      expect(payload).toMatchObject({ task_id, text: expect.stringContaining("Done behind your back.") });
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.flatMap((row) => (row.role === "user" ? [row.text] : []))).toEqual(["hello"]);
      expect(await client.fails("prompt.background", { session_id: id, text: "" })).toMatchObject({ code: 4012 });
    });

    it("[PR-34] completes commands by what was typed", async () => {
      const client = await scene.client();
      const { items, replace_from } = await client.call("complete.slash", { text: "/ne" });
      expect(items.map(({ text }) => "/ne".slice(0, replace_from) + text)).toContain("/new");
      expect((await client.call("complete.slash", { text: "/zzzz" })).items).toEqual([]);
    });

    it("[PR-34] completes paths, and files behind an @", async () => {
      const client = await scene.client();
      const { cwd } = scene.place;
      const found = async (word: string): Promise<string[]> =>
        (await client.call("complete.path", { word, cwd })).items.map(({ text }) => text);
      expect((await found("./sho")).join()).toContain("shopping.txt");
      expect((await found("@shop")).join()).toContain("shopping.txt");
      expect((await found("@")).join()).toMatch(/@file:/);
    });

    it("[PR-35] runs slash commands and says what comes of them", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const status = await client.call("slash.exec", { session_id: id, command: "status" });
      expect(status).toMatchObject({ output: expect.stringContaining(id) });
      expect(await client.fails("slash.exec", { session_id: id, command: "" })).toMatchObject({ code: 4004 });
      expect(await client.call("command.dispatch", { session_id: id, name: "status", arg: "" })).toMatchObject({
        type: "exec",
        output: expect.stringContaining(id),
      });
      const unknown = { session_id: id, name: "nonsense", arg: "" };
      expect(await client.fails("command.dispatch", unknown)).toMatchObject({ code: 4018 });
    });

    it("[PR-35] knows a command by its name, an alias or its beginning", async () => {
      const client = await scene.client();
      for (const name of ["new", "/new", "reset"]) {
        expect(await client.call("command.resolve", { name })).toMatchObject({
          canonical: "/new",
          category: "Session",
        });
      }
      expect(await client.fails("command.resolve", { name: "nonsense" })).toMatchObject({ code: 4011 });
      expect(await client.fails("command.resolve", {})).toMatchObject({ code: 4011 });
    });

    it("tells the tools a turn has", async () => {
      const { client } = await scene.session();
      const { sections, total } = await client.call("tools.show");
      expect(sections[0]?.tools).toContainEqual({ name: "read_file", description: expect.stringMatching(/\w/) });
      const [toolset] = (await client.call("tools.list")).toolsets;
      expect(toolset?.tools).toEqual(sections[0]?.tools.map(({ name }) => name));
      const { tools: _, ...bare } = toolset ?? {};
      expect((await client.call("toolsets.list")).toolsets).toEqual([bare]);
      expect(bare).toMatchObject({ tool_count: total, enabled: true });
    });

    it("tells what runs behind a session, and ends one of it", async () => {
      const { client, id } = await scene.session();
      expect(await client.call("process.list", { session_id: id })).toEqual({ processes: [] });
      await client.call("prompt.submit", { session_id: id, text: "leave one running" });
      await client.turnEnd(id);
      const listed = async () => (await client.call("process.list", { session_id: id })).processes;
      await expect.poll(listed).toMatchObject([{ status: "running", output_tail: "begun\n" }]);
      const process_id = (await listed())[0]?.id ?? "";
      const other = await client.call("session.create", {});
      expect((await client.call("process.list", { session_id: other.session_id })).processes).toEqual([]);
      const elsewhere = { session_id: other.session_id, process_id };
      expect(await client.fails("process.kill", elsewhere)).toMatchObject({ code: 4044 });
      expect(await client.fails("process.kill", { session_id: id })).toMatchObject({ code: 4012 });
      const kill = { session_id: id, process_id };
      expect(await client.call("process.kill", kill)).toEqual({ killed: true, process_id });
      expect(await listed()).toMatchObject([{ id: process_id, status: "exited" }]);
      expect(await client.call("process.kill", kill)).toEqual({ killed: false, process_id });
    });

    it("[PR-35] retry says the last message again in place of the exchange", async () => {
      const { client, id } = await scene.session();
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      const again = await client.call("slash.exec", { session_id: id, command: "retry" });
      if ("type" in again && again.type === "send") {
        await client.call("prompt.submit", { session_id: id, text: again.message });
      }
      await client.turnEnd(id);
      const { messages } = await client.call("session.resume", { session_id: id });
      expect(messages.map((row) => ("text" in row ? row.text : ""))).toEqual(["hello", "Hello."]);
    });

    it("[PR-36] runs a person's own shell commands, and none that would ruin the machine", async () => {
      const client = await scene.client();
      const ran = await client.call("shell.exec", { command: "echo out; echo err >&2; exit 3" });
      expect(ran).toEqual({ code: 3, stdout: "out\n", stderr: "err\n" });
      expect(await client.fails("shell.exec", { command: " " })).toMatchObject({ code: 4004 });
      expect(await client.fails("shell.exec", { command: "rm -rf /" })).toMatchObject({ code: 4005 });
    });

    it("keeps a long paste in a file", async () => {
      const client = await scene.client();
      const pasted = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
      const kept = await client.call("paste.collapse", { text: pasted });
      expect(kept).toMatchObject({ lines: 300, placeholder: expect.any(String) });
      expect(existsSync(kept.path) && readFileSync(kept.path, "utf8").trimEnd()).toBe(pasted);
      expect(await client.fails("paste.collapse", { text: "" })).toMatchObject({ code: 4004 });
    });

    it("tells a dropped file from words", async () => {
      const { client, id } = await scene.session();
      expect(await client.call("input.detect_drop", { session_id: id, text: "just words" })).toEqual({
        matched: false,
      });
      const text = join(scene.place.cwd, "shopping.txt");
      expect(await client.call("input.detect_drop", { session_id: id, text })).toMatchObject({
        matched: true,
        is_image: false,
      });
    });

    it("answers what it cannot attach without breaking", async () => {
      const { client, id } = await scene.session();
      expect(await client.call("clipboard.paste", { session_id: id })).toMatchObject({ attached: false });
      expect(await client.fails("image.attach", { session_id: id, path: "" })).toMatchObject({ code: 4015 });
      expect(await client.fails("image.attach", { session_id: id, path: "/no/such.png" })).toMatchObject({
        code: expect.toSatisfy((code) => [4015, 4016, 4017, 4040].includes(Number(code))),
      });
      expect(await client.call("process.stop")).toEqual({ killed: expect.any(Number) });
    });

    it("reads and changes settings by their keys", async () => {
      const { client, id } = await scene.session();
      expect(await client.fails("config.get", { key: "nonsense" })).toMatchObject({ code: 4002 });
      expect(await client.fails("config.set", { key: "nonsense", value: "x" })).toMatchObject({ code: 4002 });
      const yolo = await client.call("config.set", { key: "yolo", value: "1", session_id: id, scope: "session" });
      expect(yolo).toMatchObject({ key: "yolo", scope: "session" });
    });
  },
);

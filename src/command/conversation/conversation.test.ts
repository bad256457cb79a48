import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
import { CommandScene } from "../../../test/support/command-scene.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";
import { ATTACHED_MARK } from "../reference/attached.js";

let scene: CommandScene;
afterEach(() => scene.remove());

function open(...replies: readonly ScriptedReply[]): CommandScene {
  scene = new CommandScene(replies);
  return scene;
}

const someone = { platform: "telegram", author: { account: "7", name: "Mira" } } as const;

/** Mira's own conversation, and who she is. */
async function asMira() {
  const own = await scene.say("mine", undefined, someone);
  const nowMs = scene.clock.nowMs();
  const { id } = await scene.store.person({ platform: "telegram", account: "local", sender: "7", nowMs });
  return { own, person: { id, role: "member" } as const };
}

describe("/sessions", () => {
  it("lists by page, newest first, and says how to see more", async () => {
    open();
    for (let number = 1; number <= 23; number++) {
      await scene.exchange(`message ${number}`);
      scene.clock.advance(60_000);
    }
    const first = (await scene.type("/sessions")).say;
    expect(first[0]?.split("\n")).toHaveLength(10);
    expect(first[0]).toMatch(/^\w+ {2}1 min ago +message 23$/m);
    expect(first[1]).toBe("/resume ID goes on in one. /sessions 2 shows more.");
    expect((await scene.answer("/sessions 3")).split("\n")).toHaveLength(4);
    expect(await scene.answer("/sessions 3")).not.toContain("shows more");
    expect(await scene.answer("/sessions 4")).toBe("There are not that many.");
    for (const line of first[0]?.split("\n") ?? []) expect(textWidth(line)).toBeLessThan(80);
  });

  it("finds a word in a title or a first message", async () => {
    const conversation = await open({ text: "hi" }).exchange("bake a cake");
    await scene.store.setTitle({ conversation, title: "Sunday Plans" });
    const other = await scene.exchange("water the plants");
    expect(await scene.answer("/sessions sunday")).toContain(conversation);
    expect(await scene.answer("/sessions PLANTS")).toContain(other);
    expect(await scene.answer("/sessions nothing like it")).toMatch(/^No conversation has “nothing like it”/);
  });

  it("[CM-4] shows somebody who does not own the home their own ones only", async () => {
    const foreign = await open().say("private");
    const { own, person } = await asMira();
    const answer = await scene.answer("/sessions", own, { person });
    expect(answer).toContain(own);
    expect(answer).not.toContain(foreign);
    expect(await scene.answer("/sessions private", own, { person })).toMatch(/^No conversation/);
    expect(await scene.answer("/sessions")).toContain(foreign);
  });

  it("knows an empty home", async () => {
    open();
    expect(await scene.answer("/sessions")).toBe("There is no conversation yet.");
    expect(await scene.answer("/resume")).toBe("There is no conversation yet.");
  });
});

describe("/resume", () => {
  it("takes the number of a line in its list, and what is copied with its quotes", async () => {
    const first = await open().say("first");
    scene.clock.advance(1_000);
    const second = await scene.say("second");
    expect((await scene.type("/resume 2", second)).next).toEqual({ kind: "resume", conversation: first });
    expect(await scene.answer("/resume 8", second)).toMatch(/No conversation is called 8/);
    for (const words of [`<${first}>`, `[${first}]`, `"${first}"`, `'${first}'`]) {
      expect((await scene.type(`/resume ${words}`, second)).next).toMatchObject({ conversation: first });
    }
  });

  it("[CM-4] leads nobody into somebody else's conversation", async () => {
    const foreign = await open().say("private");
    await scene.store.setTitle({ conversation: foreign, title: "secret" });
    const { own, person } = await asMira();
    for (const words of [foreign, foreign.slice(0, 6), "secret", "2"]) {
      const outcome = await scene.type(`/resume ${words}`, own, { person, surface: "chat" });
      expect(outcome, words).toMatchObject({ next: { kind: "stay" } });
    }
    expect((await scene.type(`/resume ${own}`, undefined, { person })).next).toMatchObject({ conversation: own });
  });

  it("stays calm with words that no name has", async () => {
    open();
    for (const words of ["x".repeat(100_000), "'; DROP TABLE session; --", "\u0000", "%", "../../etc"]) {
      expect(await scene.answer(`/resume ${words}`)).toMatch(/^No conversation is called/);
    }
  });
});

describe("/branch", () => {
  it("goes on in a copy with a name, and keeps the original", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    const { say, next } = await scene.type("/fork another way", conversation);
    const copy = next.kind === "move" ? next.conversation : undefined;
    expect(say).toEqual([
      `You are in a copy now: ${copy}, called “another way”.`,
      `The last one is kept: /resume ${conversation}`,
    ]);
    expect(await scene.store.show({ conversation: copy as never })).toMatchObject({ lineage: "branch", messages: 2 });
    expect((await scene.history(conversation)).map(({ text }) => text)).toEqual(["hello", "hi"]);
  });

  it("says when a name is taken, and when there is nothing to copy", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    await scene.store.setTitle({ conversation, title: "taken" });
    const { say, next } = await scene.type("/branch taken", conversation);
    expect(say[1]).toMatch(/belongs to another/);
    expect(next.kind).toBe("move");
    expect(await scene.answer("/branch")).toMatch(/Nothing was said yet/);
    const begun = await scene.store.begin({ start: { source: "cli" }, title: "empty", nowMs: 1 });
    if (begun.kind !== "begun") throw new Error("not begun");
    expect(await scene.answer("/branch", begun.conversation)).toBe("There is nothing to copy yet.");
  });
});

describe("/history", () => {
  it("shows who said what, the newest last, and no more than asked for", async () => {
    const conversation = await open({ calls: [{ name: "look" }] }, { text: "done" }).begin("go");
    scene.hand.push(scene.tool("look", "read-only"));
    await scene.live.rest(conversation);
    expect((await scene.type("/history", conversation)).say).toEqual([
      "You: go",
      "Agent: (uses look)",
      "Tool look: look is done",
      "Agent: done",
    ]);
    expect((await scene.type("/history 1", conversation)).say).toEqual(["Agent: done"]);
    for (const words of ["0", "51", "-1", "many", "1e3"]) {
      expect(await scene.answer(`/history ${words}`, conversation)).toMatch(/1 to 50/);
    }
    expect(await scene.answer("/history")).toMatch(/Nothing was said yet/);
  });

  it("cuts what is too long to read here", async () => {
    const conversation = await open({ text: "y".repeat(5_000) }).exchange("x".repeat(5_000));
    const answer = await scene.answer("/history", conversation);
    expect(answer.length).toBeLessThan(2_200);
    expect(answer).toContain("(4000 more characters)");
  });
});

describe("/save", () => {
  it("says where the file is", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    expect(await scene.answer("/save", conversation)).toBe(`Written to ${join(scene.folder, `${conversation}.json`)}`);
    expect(await scene.answer("/save")).toMatch(/Nothing was said yet/);
  });
});

describe("/diff", () => {
  it("shows what changed since the last commit, and says when there is nothing or no repository", async () => {
    open();
    expect(await scene.answer("/diff")).toMatch(/^Nothing to show: .*/);
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        cwd: scene.folder,
        stdio: "ignore",
      });
    git("init", "-q");
    writeFileSync(join(scene.folder, "a.txt"), "one\n");
    git("add", "a.txt");
    git("commit", "-q", "-m", "first");
    expect(await scene.answer("/diff")).toBe("Nothing changed.");
    writeFileSync(join(scene.folder, "a.txt"), "two\n");
    const answer = await scene.answer("/diff");
    expect(answer).toContain("1 file changed");
    expect(answer).toContain("-one\n+two");
  });
});

describe("/new", () => {
  it("[BH-6] says New session, whatever it leaves behind", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    for (const line of ["/new", "/new a title", "/reset", `/new ${"x".repeat(200)}`, "/clear"]) {
      expect(await scene.answer(line, conversation), line).toContain("New session");
    }
    expect(await scene.answer("/new")).toContain("New session");
    await scene.store.remove({ conversation, by: "test", nowMs: scene.clock.nowMs() });
    expect(await scene.answer("/new", conversation)).toContain("New session");
    expect(await scene.answer("/new", "nosuchconversation" as never)).toContain("New session");
  });

  it("tells whoever else watches that it ended", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    const told = await scene.listen(conversation);
    await scene.type("/new", conversation);
    expect(await told("changed")).toEqual({ type: "changed", what: "ended" });
  });
});

describe("/undo and /title", () => {
  it("[CM-7] hand back what was written, without what was put below it", async () => {
    const conversation = await open({ text: "hi" }).exchange(`see @file:a.txt${ATTACHED_MARK}@file:a.txt\nlong`);
    expect((await scene.type("/undo", conversation)).next).toEqual({ kind: "prefill", text: "see @file:a.txt" });
  });

  it("hand back the person's own words, and tell whoever else watches", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    const told = await scene.listen(conversation);
    expect((await scene.type("/undo", conversation)).next).toEqual({ kind: "prefill", text: "hello" });
    expect(await told("changed")).toEqual({ type: "changed", what: "history" });
    const other = await scene.exchange("hello");
    const titled = await scene.listen(other);
    await scene.type("/title plans", other);
    expect(await titled("changed")).toEqual({ type: "changed", what: "title" });
    for (const words of ["0", "101", "-1", "x", "1.5", "9".repeat(30)]) {
      expect(await scene.answer(`/undo ${words}`, conversation)).toMatch(/1 to 100/);
    }
  });
});

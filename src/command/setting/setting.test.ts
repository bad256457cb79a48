import { afterEach, describe, expect, it } from "vitest";
import { CommandScene, MEMBER } from "../../../test/support/command-scene.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";
import type { ModelPort } from "../ports.js";

let scene: CommandScene;
afterEach(() => scene.remove());

function open(...replies: readonly ScriptedReply[]): CommandScene {
  scene = new CommandScene(replies);
  return scene;
}

const settingsOf = async (conversation: string) =>
  (await scene.store.show({ conversation: conversation as never }))?.sessions.at(-1)?.settings;

describe("/model", () => {
  it("[CM-6] takes another one for this conversation, over restarts, and tells whoever else watches", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    const told = await scene.listen(conversation);
    expect(await scene.answer("/model other/one", conversation)).toBe("other/one answers from the next turn on.");
    expect(await told("changed")).toEqual({ type: "changed", what: "settings" });
    scene.restart();
    expect(await settingsOf(conversation)).toEqual({ model: "other/one" });
    expect(await scene.answer("/status", conversation)).toMatch(/^model +other\/one$/m);
    expect(await scene.answer("/model", conversation)).toMatch(/^other\/one answers here\./);
  });

  it("understands the flags other clients write", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    await scene.type("/model one --provider other", conversation);
    expect(await settingsOf(conversation)).toEqual({ model: "other/one" });
    await scene.type("/model --provider other other/two --session", conversation);
    expect(await settingsOf(conversation)).toEqual({ model: "other/two" });
    for (const words of ["a/b c/d", "--global", "a/b --frobnicate", "--provider"]) {
      expect(await scene.answer(`/model ${words}`, conversation), words).toMatch(/\/model (takes|knows)/);
    }
    expect(await settingsOf(conversation)).toEqual({ model: "other/two" });
  });

  it("changes nothing when the model cannot be asked, and says that a demo is no AI", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    expect(await scene.answer("/model nonsense", conversation)).toBe("nonsense names no model; write provider/name");
    expect(await settingsOf(conversation)).toEqual({});
    expect(await scene.answer("/model demo/demo", conversation)).toContain("not an AI");
  });

  it("--global is for every new one too, where the settings can be changed", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    const global: string[] = [];
    const models = {
      ...scene.context().models,
      setGlobal: async (label: string) => void global.push(label),
    } as ModelPort;
    expect(await scene.answer("/model a/b --global", conversation, { models })).toContain("every new conversation");
    expect(await scene.answer("/model c/d --global", undefined, { models })).toContain("c/d answers");
    expect(global).toEqual(["a/b", "c/d"]);
    expect(await scene.answer("/model c/d", undefined, { models })).toMatch(/Nothing was said yet/);
    expect(await scene.answer("/model e/f --global", conversation)).toMatch(/cannot be changed/);
    expect(await settingsOf(conversation)).toEqual({ model: "a/b" });
  });

  it("[CM-3] is looked at by anyone and chosen by the owner", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    expect(await scene.answer("/model", conversation, { person: MEMBER })).toContain("test/scripted");
    expect(await scene.answer("/model a/b", conversation, { person: MEMBER })).toMatch(/Only the owner/);
    expect(await settingsOf(conversation)).toEqual({});
  });
});

describe("/yolo", () => {
  it("[CM-6] lets the next turns of this conversation act without asking, and takes it back", async () => {
    open({ text: "hi" }, { calls: [{ name: "risky" }] }, { text: "done" }, { calls: [{ name: "risky" }] });
    scene.hand.push(scene.tool("risky", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } }));
    const conversation = await scene.exchange("hello");
    expect(await scene.answer("/yolo on", conversation)).toMatch(/^YOLO is on/);
    expect(await scene.answer("/status", conversation)).toMatch(/^yolo +on/m);
    await scene.exchange("do it", conversation);
    expect(scene.effects).toEqual(["risky"]);
    expect(await scene.answer("/yolo", conversation)).toMatch(/^YOLO is off/);
    await scene.begin("again", conversation);
    await scene.event(conversation, "question");
    expect(scene.effects).toEqual(["risky"]);
    await scene.type("/stop", conversation);
  });

  it("never opens what is always refused", async () => {
    open({ text: "hi" }, { calls: [{ name: "fatal" }] }, { text: "no" });
    scene.hand.push(scene.tool("fatal", "at-most-once", { guard: { kind: "refuse", why: "never" } }));
    const conversation = await scene.exchange("hello");
    await scene.type("/yolo on", conversation);
    await scene.exchange("do it", conversation);
    expect(scene.effects).toEqual([]);
  });

  it("[CM-3] belongs to the owner, needs a conversation, and knows two words", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    expect(await scene.line("/yolo on", conversation, { person: MEMBER })).toMatchObject({ kind: "forbidden" });
    expect(await scene.answer("/yolo maybe", conversation)).toBe("/yolo takes on or off.");
    expect(await scene.answer("/yolo on")).toMatch(/Nothing was said yet/);
    expect(await settingsOf(conversation)).toEqual({});
  });
});

describe("/tools and /plugins", () => {
  it("list what there is, in lines that fit", async () => {
    open();
    expect(await scene.answer("/tools")).toBe("terminal  Run a command.");
    const about = "x ".repeat(500);
    const tools = async () => Array.from({ length: 150 }, (_, at) => ({ name: `tool${at}`, about }));
    const answer = await scene.answer("/tools", undefined, { tools });
    expect(answer.split("\n").every((line) => line.length < 80)).toBe(true);
    expect(answer).toMatch(/… and 50 more$/);
    expect(await scene.answer("/plugins")).toBe("There are no plugins.");
  });
});

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { CommandScene, MEMBER } from "../../test/support/command-scene.js";
import { COMPLETIONS_MAX, completeLine } from "./complete.js";
import { parseLine } from "./parse.js";

let scene: CommandScene;
afterEach(() => scene.remove());

function open(): CommandScene {
  scene = new CommandScene();
  return scene;
}

/** The lines a person gets who takes each offer. */
async function lines(text: string, more = {}): Promise<string[]> {
  const { items, replaceFrom } = await completeLine(text, scene.context(undefined, more));
  return items.map((item) => text.slice(0, replaceFrom) + item.text);
}

describe("completion of a line", () => {
  it("offers names and aliases that begin as typed, each command once", async () => {
    open();
    expect(await lines("/st")).toEqual(["/stop", "/steer", "/status"]);
    expect(await lines("/BG")).toEqual(["/bg"]);
    expect(await lines("/comp")).toEqual(["/compact"]);
    expect(await lines("/zzz")).toEqual([]);
    const { items, replaceFrom } = await completeLine("/und", scene.context());
    expect({ items, replaceFrom }).toEqual({
      items: [{ text: "undo", display: "/undo", meta: "take back the last exchange, or the last few" }],
      replaceFrom: 1,
    });
  });

  it("offers at most thirty, and every one of them can be run", async () => {
    open();
    const offered = await lines("/");
    expect(offered.length).toBe(COMPLETIONS_MAX);
    for (const line of offered) expect(parseLine(line, scene.context())).toMatchObject({ kind: "command" });
    expect(await lines("/yo", { person: MEMBER })).toEqual([]);
  });

  it("offers what a command takes", async () => {
    const conversation = await open().exchange("bake a cake");
    await scene.store.setTitle({ conversation, title: "Sunday plans" });
    expect(await lines("/resume sund")).toEqual([`/resume ${conversation}`]);
    expect(await lines(`/resume ${conversation.slice(0, 4)}`)).toEqual([`/resume ${conversation}`]);
    expect(await lines("/resume nothing")).toEqual([]);
    expect(await lines("/model oth")).toEqual(["/model other/one"]);
    expect(await lines("/model other/one --g")).toEqual(["/model other/one --global"]);
    expect(await lines("/approve s")).toEqual(["/approve session"]);
    expect(await lines("/approve session a")).toEqual([]);
    expect(await lines("/yolo ")).toEqual(["/yolo on", "/yolo off"]);
    expect(await lines("/help und")).toEqual(["/help undo"]);
    expect(await lines("/title anything")).toEqual([]);
  });

  it("[CM-4] offers nobody somebody else's conversations", async () => {
    const conversation = await open().exchange("private");
    expect(await lines("/resume priv")).toEqual([`/resume ${conversation}`]);
    expect(await lines("/resume priv", { person: MEMBER })).toEqual([]);
    expect(await lines(`/resume ${conversation}`, { person: MEMBER })).toEqual([]);
  });

  it("is bounded and never fails, whatever is typed", async () => {
    open();
    for (let number = 0; number < 40; number++) await scene.exchange(`message ${number}`);
    expect(await lines("/resume ")).toHaveLength(COMPLETIONS_MAX);
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((words) => `/resume ${words}`),
      fc.string({ unit: "binary" }).map((words) => `/model ${words}`),
      fc.string().map((words) => `/${words}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (line) => {
        const { items, replaceFrom } = await completeLine(line, scene.context());
        expect(items.length).toBeLessThanOrEqual(COMPLETIONS_MAX);
        expect(replaceFrom).toBeLessThanOrEqual(line.length);
      }),
      { numRuns: 100 },
    );
    expect(await lines(`/resume ${"x".repeat(1_000_000)}`)).toEqual([]);
  });
});

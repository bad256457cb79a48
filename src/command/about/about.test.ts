import { afterEach, describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
import { CommandScene, MEMBER } from "../../../test/support/command-scene.js";
import { DAY_MS } from "../../../test/support/manual-clock.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";
import { catalogue } from "../catalogue.js";
import { SLASH_COMMANDS } from "../table.js";

let scene: CommandScene;
afterEach(() => scene.remove());

function open(...replies: readonly ScriptedReply[]): CommandScene {
  scene = new CommandScene(replies);
  return scene;
}

const usage = { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 400, reasoningTokens: 50 };

describe("/usage", () => {
  it("adds up what a conversation used, and what its owner used today", async () => {
    const conversation = await open({ text: "a", usage }, { text: "b", usage }).exchange("hello");
    await scene.exchange("again", conversation);
    const answer = await scene.answer("/usage", conversation);
    for (const line of [
      /^model calls +2$/m,
      /^tokens in +2,000$/m,
      /^of them cached +800$/m,
      /^tokens out +400$/m,
      /^of them thought +100$/m,
      /^today, all +2 turns, 2,400 tokens, /m,
    ]) {
      expect(answer).toMatch(line);
    }
    expect(await scene.answer("/usage")).toMatch(/Nothing was said yet/);
  });
});

describe("/insights", () => {
  it("adds up the days, and no more than asked for", async () => {
    const conversation = await open({ text: "a", usage }, { text: "b", usage }).exchange("hello");
    scene.clock.advance(3 * DAY_MS);
    await scene.exchange("again", conversation);
    const answer = await scene.answer("/insights", conversation);
    expect(answer).toMatch(/^conversations +1$/m);
    expect(answer).toMatch(/^used +2 turns, 2,400 tokens, /m);
    expect(answer).toMatch(/^from +cli 1$/m);
    expect(await scene.answer("/insights 2", conversation)).toMatch(/^used +1 turn, 1,200 tokens, /m);
    expect(await scene.answer("/insights 2")).toMatch(/^used +1 turn, /m);
    for (const words of ["0", "91", "-3", "week"]) {
      expect(await scene.answer(`/insights ${words}`, conversation)).toMatch(/1 to 90/);
    }
  });

  it("[CM-3] is for the owner, and an empty home has used nothing", async () => {
    open();
    expect(await scene.line("/insights", undefined, { person: MEMBER })).toMatchObject({ kind: "forbidden" });
    expect(await scene.answer("/insights")).toBe("Nothing was used in that time.");
  });
});

describe("/context", () => {
  it("says what fills the window, by who said it", async () => {
    const conversation = await open({ calls: [{ name: "look" }] }, { text: "y".repeat(4_000) }).begin(
      "x".repeat(40_000),
    );
    scene.hand.push(scene.tool("look", "read-only"));
    await scene.live.rest(conversation);
    const answer = await scene.answer("/context", conversation);
    expect(answer).toMatch(/^your messages +10,001 +5% +1 message$/m);
    expect(answer).toMatch(/^answers +1,\d{3} +1% +2 messages$/m);
    expect(answer).toMatch(/^tool results +\d+ +0% +1 message$/m);
    expect(answer).toMatch(/^used +11,\d{3} +6% +of 200,000 tokens$/m);
    expect(await scene.answer("/ctx")).toMatch(/Nothing was said yet/);
    const withTools = await scene.answer("/context", conversation, { toolTokens: async () => 2_000 });
    expect(withTools).toMatch(/^tools +2,000 +1% +their descriptions$/m);
    expect(withTools).toMatch(/^used +13,\d{3} +7% +of 200,000 tokens$/m);
  });
});

describe("/version, /whoami and /profile", () => {
  it("say what this is, who one is, and where it lives", async () => {
    open();
    expect(await scene.answer("/v")).toBe("Talaria 1.2.3");
    expect(await scene.answer("/whoami")).toMatch(/^may +the owner of this home: everything$/m);
    const person = { ...MEMBER, name: "Mira\u001b[31m\n" };
    const answer = await scene.answer("/whoami", undefined, {
      person,
      surface: "chat",
      actor: { platform: "telegram" },
      sender: "42",
    });
    expect(answer).toMatch(/^id there: 42$/m);
    expect(answer).toMatch(/^person: Mira.* \(member\)$/m);
    expect(answer).not.toContain("\u001b");
    expect(await scene.answer("/profile")).toContain(scene.folder);
  });
});

describe("/help", () => {
  it("fits into 80 columns and has every command once, under its heading", async () => {
    open();
    const { say } = await scene.type("/help");
    expect(say.map((paragraph) => paragraph.split("\n")[0])).toEqual([
      "Session",
      "Turn",
      "Configuration",
      "Info",
      "Exit",
    ]);
    const every = say.flatMap((paragraph) => paragraph.split("\n").slice(1));
    for (const line of every) expect(textWidth(line)).toBeLessThan(80);
    const lines = every.filter((line) => line.startsWith("/"));
    const here = SLASH_COMMANDS.filter(({ where }) => where.includes("terminal"));
    expect(lines.map((line) => /^\/(\S+)/.exec(line)?.[1])).toEqual(here.map(({ name }) => name));
    const names = every.join("\n").match(/\(also [^)]*\)/g) ?? [];
    expect(names).toHaveLength(here.filter(({ aliases }) => aliases.length > 0).length);
  });

  it("tells all about one command, by any of its names", async () => {
    open();
    expect(await scene.answer("/help /bg")).toMatch(/^\/background <prompt> .*\(also \/bg, \/btw\)/);
    expect(await scene.answer("/help yolo")).toMatch(/Only the owner/);
    expect(await scene.answer("/help UNDO")).toMatch(/waits for a turn/);
    for (const words of ["frobnicate", "two words", "%", "constructor", "__proto__"]) {
      expect(await scene.answer(`/help ${words}`)).toMatch(/not a command here/);
    }
    for (const { name } of SLASH_COMMANDS.filter(({ where }) => where.includes("terminal"))) {
      expect(await scene.answer(`/help ${name}`), name).toContain(`/${name}`);
    }
  });

  it("comes in pages where a long list is a nuisance", async () => {
    open();
    const more = { surface: "chat" } as const;
    const pages = Math.ceil(catalogue(scene.context(undefined, more)).pairs.length / 10);
    expect(await scene.answer("/commands", undefined, more)).toMatch(new RegExp(`Page 1 of ${pages}; /commands 2`));
    expect(await scene.answer(`/commands ${pages}`, undefined, more)).toMatch(
      new RegExp(`Page ${pages} of ${pages}\\.$`),
    );
    for (const words of ["0", `${pages + 1}`, "x", "-1", "1.5"]) {
      expect(await scene.answer(`/commands ${words}`, undefined, more)).toMatch(/takes a page/);
    }
  });
});

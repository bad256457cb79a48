/** Files, buttons, menus and small signs that we send. */
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, openBench } from "./bench.js";
import { FORUM_ID, PEOPLE, TOPIC_ID } from "./fake-world.js";
import { placeOf } from "./scene.js";

let bench: Bench;
let folder: string;
beforeEach(async () => {
  bench = await openBench();
  folder = await mkdtemp(join(tmpdir(), "telegram-"));
});
afterEach(async () => {
  await bench.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function file(mediaType: string, size = 10) {
  const path = join(folder, "a file");
  await writeFile(path, "x");
  await truncate(path, size);
  return { path, name: "näme.bin", mediaType };
}

describe("files we send", () => {
  it.each([
    ["image/png", 10, "sendPhoto"],
    ["image/jpeg", 10_000_001, "sendDocument"],
    ["image/svg+xml", 10, "sendDocument"],
    ["audio/ogg", 10, "sendVoice"],
    ["audio/ogg; codecs=opus", 10, "sendVoice"],
    ["audio/mpeg", 10, "sendAudio"],
    ["audio/wav", 10, "sendDocument"],
    ["video/mp4", 10, "sendVideo"],
    ["text/plain", 10, "sendDocument"],
  ])("go as what they are: %s of %i bytes", async (mediaType, size, method) => {
    const media = await file(mediaType, size);
    expect(await bench.send("thread", { text: "**see**", media })).toMatchObject({ kind: "sent" });
    expect(bench.fake.sent()).toMatchObject([
      {
        method,
        text: "see",
        tags: ["b"],
        chatId: FORUM_ID,
        threadId: TOPIC_ID,
        media: { name: "näme.bin", bytes: size },
      },
    ]);
  });

  it("go as a file when Telegram does not take the picture", async () => {
    const why = "Bad Request: PHOTO_INVALID_DIMENSIONS";
    const body = JSON.stringify({ ok: false, error_code: 400, description: why });
    bench.fake.fail(["sendPhoto"], { kind: "answer", status: 400, body });
    expect(await bench.send("dm", { text: "wide", media: await file("image/png") })).toMatchObject({ kind: "sent" });
    expect(bench.fake.sent()).toMatchObject([{ method: "sendDocument", text: "wide" }]);
  });

  it("[CT-4] have a long text ahead of them, once, however often the file is tried", async () => {
    const media = await file("text/plain");
    const outgoing = { id: "same", text: "word ".repeat(400), media, buttons: [{ label: "Ok", token: "ok" }] };
    bench.fake.fail(["sendDocument"], { kind: "rate-limited", afterMs: 1_000 }, 2);
    for (let times = 0; times < 2; times++) expect(await bench.send("dm", outgoing)).toMatchObject({ kind: "retry" });
    expect(await bench.send("dm", outgoing)).toMatchObject({ kind: "sent" });
    expect(bench.fake.sent().map((one) => [one.method, one.buttons.length])).toEqual([
      ["sendMessage", 0],
      ["sendDocument", 1],
    ]);
  });

  it("[CT-4] are not sent when the text ahead of them was not", async () => {
    const outgoing = { id: "same", text: "word ".repeat(400), media: await file("text/plain") };
    bench.fake.fail(["sendMessage"], { kind: "gone" });
    expect(await bench.send("dm", outgoing)).toMatchObject({ kind: "refused" });
    expect(bench.fake.sent()).toEqual([]);
  });

  it("[CT-4] end as any send: cut after it was taken, refused when too large", async () => {
    bench.fake.fail(["sendDocument"], { kind: "cut-after" });
    const media = await file("text/plain");
    expect(await bench.send("dm", { text: "a", media })).toMatchObject({ kind: "unknown" });
    expect(bench.fake.sent()).toHaveLength(1);
    const huge = await file("text/plain", 50_000_001);
    expect(await bench.send("dm", { text: "a", media: huge })).toMatchObject({ kind: "refused" });
  });

  it("change their words in place", async () => {
    const media = await file("text/plain");
    const sent = await bench.send("dm", { text: "one", media });
    const place = placeOf("dm");
    const receipt = sent.kind === "sent" ? sent.receipt : "";
    const outgoing = { id: "e", place, text: "two", media };
    expect(await bench.platform.edit?.(place, receipt, outgoing, AbortSignal.timeout(30_000))).toMatchObject({
      kind: "sent",
    });
    expect(bench.fake.sent()).toMatchObject([{ text: "two", media: { name: "näme.bin" } }]);
  });
});

describe("small signs", () => {
  it("show that we are at work, in the topic, and never fail", async () => {
    const signal = AbortSignal.timeout(30_000);
    await bench.platform.typing?.(placeOf("thread"), signal);
    expect(bench.fake.desk.actions).toEqual([{ chatId: FORUM_ID, threadId: TOPIC_ID }]);
    bench.fake.fail(["sendChatAction", "setMessageReaction"], { kind: "server-error" }, 2);
    await bench.platform.typing?.(placeOf("dm"), signal);
    await bench.platform.react?.(placeOf("dm"), "5", "👀", signal);
    expect(bench.logged.filter((line) => line.startsWith("debug could not"))).toHaveLength(2);
  });

  it("react, and take it back", async () => {
    const signal = AbortSignal.timeout(30_000);
    await bench.platform.react?.(placeOf("dm"), "5", "👀", signal);
    await bench.platform.react?.(placeOf("dm"), "5", "", signal);
    const chatId = PEOPLE.alice.id;
    expect(bench.fake.desk.reactions).toEqual([
      { chatId, messageId: 5, emoji: ["👀"] },
      { chatId, messageId: 5, emoji: [] },
    ]);
  });

  it("offer the commands that Telegram can name, and no more than it takes", async () => {
    const many = Array.from({ length: 120 }, (_, at) => ({ name: `c${at}`, about: "x".repeat(300) }));
    const odd = ["New", "a-b", "", "x".repeat(33)].map((name) => ({ name, about: "odd" }));
    await bench.platform.setMenu?.([...odd, { name: "empty", about: "" }, ...many], AbortSignal.timeout(30_000));
    expect(bench.fake.desk.menu).toHaveLength(100);
    expect(bench.fake.desk.menu[0]).toEqual({ command: "c0", description: "x".repeat(256) });
    bench.fake.fail(["setMyCommands"], { kind: "gone" });
    await expect(bench.platform.setMenu?.(many, AbortSignal.timeout(30_000))).rejects.toThrow(/menu/);
  });

  it("put short labels side by side and long ones below each other, in their colours", async () => {
    const long = "a label that is quite long";
    await bench.send("dm", {
      text: "May I?",
      buttons: [
        { label: "Yes", token: "y", look: "good" },
        { label: "No", token: "n", look: "bad" },
      ],
    });
    await bench.send("dm", {
      text: "Which?",
      buttons: [
        { label: long, token: "1" },
        { label: long, token: "2" },
      ],
    });
    expect(bench.fake.sent().map((one) => one.rows)).toEqual([[2], [1, 1]]);
    expect(bench.fake.sent()[0]?.buttons).toMatchObject([{ style: "success" }, { style: "danger" }]);
  });
});

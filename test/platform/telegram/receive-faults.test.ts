/** What is said to us arrives, in order and by the same name, whatever Telegram and the line do meanwhile. */
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../src/platform/contract/recording.js";
import { PlatformRefusal } from "../../../src/platform/platform.js";
import { type Bench, impatient, openBench } from "./bench.js";
import { shuffler } from "./fake-control.js";
import { refusal, type TelegramFault } from "./fake-faults.js";
import { BOT, PEOPLE } from "./fake-world.js";

const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0).reverse()) {
    for (const line of [...bench.logged, ...bench.receiver.downs]) expect(line).not.toContain(bench.fake.token);
    await bench.stop();
  }
});

async function open(wish: Parameters<typeof openBench>[0] = {}): Promise<Bench> {
  const bench = await openBench(wish);
  benches.push(bench);
  return bench;
}

const texts = (bench: Bench) => bench.receiver.heard.map((one) => one.text);
const keptTexts = (bench: Bench) => bench.receiver.kept.map((one) => one.text);
const ids = (bench: Bench) => new Set(bench.receiver.heard.map((one) => one.eventId));
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`);
const answer = (code: number, description: string, parameters?: object): TelegramFault => ({
  kind: "answer",
  status: code,
  body: JSON.stringify(refusal(code, description, parameters)),
});

describe("updates", () => {
  it.each([2, 100])("[CT-2] knows a message by one name although it comes %i times", async (times) => {
    const bench = await open();
    bench.fake.say({ text: "once" });
    bench.fake.world.updates.redeliver(times - 1);
    void bench.run();
    await eventually("all are heard", () => bench.receiver.heard.length === times);
    bench.fake.say({ text: "next" });
    await bench.receiver.hears("next");
    expect(ids(bench).size).toBe(2);
  });

  it("[CT-2] knows a message again after a restart, also with an edited body", async () => {
    const first = await open();
    const id = first.fake.say({ text: "original" });
    void first.run();
    await first.receiver.hears("original");
    const second = await open({ fake: first.fake });
    const message = { message_id: id, date: 1, chat: { id: 42, type: "private", first_name: "A" }, from: PEOPLE.alice };
    first.fake.giveUpdates({ edited_message: { ...message, text: "edited", edit_date: 2 } as never });
    first.fake.giveUpdates({ message: { ...message, text: "edited" } as never });
    await first.end();
    void second.run();
    const again = await second.receiver.hears("edited");
    expect(again.eventId).toBe(first.receiver.heard[0]?.eventId);
    expect(texts(second).filter((text) => text === "edited")).toHaveLength(1);
  });

  it("[CT-1] hears all of them in whatever order they come", async () => {
    const bench = await open();
    for (const text of numbers(250)) bench.fake.say({ text });
    bench.fake.world.updates.reorder(shuffler(7));
    void bench.run();
    await eventually("all are heard", () => bench.receiver.heard.length === 250);
    expect([...texts(bench)].sort()).toEqual(numbers(250).sort());
    await eventually("all are confirmed", async () => (await bench.fake.peer.acknowledged?.()) === 250);
  });

  it.each([
    ["a smaller one", 17],
    ["a larger one", 2_000_000_000],
  ])("[CT-1] goes on when the numbers of updates jump to %s", async (_, to) => {
    const bench = await open();
    void bench.run();
    bench.fake.say({ text: "before" });
    await bench.receiver.hears("before");
    bench.fake.world.updates.jump(to);
    for (const text of ["after", "and after"]) {
      bench.fake.say({ text });
      await bench.receiver.hears(text);
    }
    expect(texts(bench)).toEqual(["before", "after", "and after"]);
    await eventually("all are confirmed", async () => (await bench.fake.peer.acknowledged?.()) === 3);
  });

  it("[CT-2] keeps messages of two chats apart that have the same number", async () => {
    const bench = await open();
    const say = (chat: number) =>
      bench.fake.giveUpdates({
        message: {
          message_id: 5,
          date: 1,
          from: PEOPLE.bob,
          text: "hi",
          chat: { id: chat, type: "group", title: "G" },
        } as never,
      });
    say(-1);
    say(-2);
    void bench.run();
    await eventually("both are heard", () => bench.receiver.heard.length === 2);
    expect(ids(bench)).toEqual(new Set(["-1:5", "-2:5"]));
  });

  it("[CT-1] takes a backlog of 10,000 in order, and sends meanwhile", async () => {
    const bench = await open();
    for (const text of numbers(10_000)) bench.fake.say({ text });
    void bench.run();
    await bench.receiver.hears("m100");
    expect(await bench.send("dm", "still here")).toMatchObject({ kind: "sent" });
    await eventually("all are heard", () => bench.receiver.heard.length === 10_000);
    expect(texts(bench)).toEqual(numbers(10_000));
    expect(bench.fake.calls()["getUpdates"]).toBeLessThan(110);
  });

  it("[CT-1] never goes past a message that could not be kept", async () => {
    const bench = await open();
    for (const text of numbers(5)) bench.fake.say({ text });
    bench.receiver.rejectNext(3);
    void bench.run();
    await eventually("all are kept", () => bench.receiver.kept.length === 5);
    expect(keptTexts(bench)).toEqual(numbers(5));
    expect(texts(bench)).toEqual(["m0", "m0", "m0", ...numbers(5)]);
  });

  it("[CT-1] leaves what it could not keep to whoever comes after it", async () => {
    const first = await open();
    for (const text of numbers(3)) first.fake.say({ text });
    first.receiver.rejectNext(1_000);
    void first.run();
    await first.receiver.hears("m0");
    await first.end();
    const second = await open({ fake: first.fake });
    void second.run();
    await eventually("all are kept", () => second.receiver.kept.length === 3);
    expect(keptTexts(second)).toEqual(numbers(3));
  });

  it("goes on behind an update that nobody can read", async () => {
    const bench = await open();
    bench.fake.giveUpdates({ message: { message_id: 1, date: 1, text: "no chat", entities: 5 } as never });
    bench.fake.giveUpdates({ something_new: {} } as never);
    bench.fake.say({ text: "fine" });
    void bench.run();
    await bench.receiver.hears("fine");
    expect(texts(bench)).toEqual(["fine"]);
  });

  it("answers whoever presses a button also when following it fails", async () => {
    const bench = await open();
    void bench.run();
    bench.receiver.press = () => Promise.reject(new Error("the disk is full"));
    await bench.send("dm", { text: "May I?", buttons: [{ label: "Yes", token: "y" }] });
    expect(await bench.fake.press("dm", "Yes")).toMatch(/try again/);
    bench.fake.say({ text: "next" });
    await bench.receiver.hears("next");
  });
});

describe("the line", () => {
  it.each<[string, TelegramFault]>([
    ["an error of the server", { kind: "server-error" }],
    ["a cut", { kind: "cut-before" }],
    ["a cut within the answer", { kind: "cut-within" }],
    ["half an answer", { kind: "answer", status: 200, body: '{"ok":true,"re' }],
    ["a page of a portal", { kind: "answer", status: 200, body: "<html>" }],
    ["too many requests", { kind: "rate-limited", afterMs: 1_000 }],
  ])("[CT-1] says that it is down and comes back after %s", async (_, fault) => {
    const bench = await open();
    void bench.run();
    await eventually("it is up", () => bench.receiver.ups === 1);
    bench.fake.fail(["getUpdates"], fault, 3);
    await eventually("it is down", () => bench.receiver.downs.length === 1);
    bench.fake.say({ text: "meanwhile" });
    await bench.receiver.hears("meanwhile");
    expect(bench.receiver.ups).toBe(2);
    expect(bench.receiver.downs).toHaveLength(1);
  });

  it("[CT-1] calls off a poll that hangs, and catches up", async () => {
    const bench = await open({ clock: impatient(0.15) });
    void bench.run();
    await eventually("it is up", () => bench.receiver.ups === 1);
    bench.fake.fail(["getUpdates"], { kind: "half-open" });
    bench.fake.say({ text: "into the dark" });
    await bench.receiver.hears("into the dark");
    await eventually("it is down", () => bench.receiver.downs.length > 0 || bench.receiver.heard.length > 0);
    bench.fake.say({ text: "back" });
    await bench.receiver.hears("back");
    expect(bench.receiver.downs.join()).toMatch(/no answer in time/);
  });

  it("[CT-1] catches up after a partition that flaps", async () => {
    const bench = await open();
    void bench.run();
    for (const text of numbers(5)) {
      const heal = await bench.fake.partition();
      bench.fake.say({ text });
      await heal();
    }
    await eventually("all are heard", () => new Set(keptTexts(bench)).size === 5);
    expect([...new Set(keptTexts(bench))]).toEqual(numbers(5));
  });

  it("waits for Telegram before it knows who it is", async () => {
    const bench = await open();
    const heal = await bench.fake.partition();
    void bench.run();
    await eventually("it is down", () => bench.receiver.downs.length === 1);
    await heal();
    bench.fake.say({ text: "hello" });
    await bench.receiver.hears("hello");
    expect(bench.receiver.downs).toHaveLength(1);
  });

  it("stops where Telegram does not know the token, and says what to do", async () => {
    for (const settings of [{ token: "1:wrong" }, {}]) {
      const bench = await open({ settings });
      if (!("token" in settings)) bench.fake.fail(["getUpdates"], answer(401, "Unauthorized"), 99);
      const refused = await bench.run().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refused).toBeInstanceOf(PlatformRefusal);
      expect(refused).toMatchObject({
        message: expect.stringContaining("token"),
        hint: expect.stringContaining("BotFather"),
      });
    }
  });

  it("gives way after a bounded fight when another program has the token", async () => {
    const first = await open();
    const second = await open({ fake: first.fake });
    const ends = [first.run(), second.run()].map((run) =>
      run.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    const refused = await Promise.race(ends);
    expect(refused).toBeInstanceOf(PlatformRefusal);
    expect(refused).toMatchObject({ message: expect.stringContaining("something else receives") });
    first.fake.say({ text: "to the one that is left" });
    await eventually("one of them hears it", () => first.receiver.heard.length + second.receiver.heard.length > 0);
  });

  it("outlives a predecessor that has not let go yet", async () => {
    const bench = await open();
    bench.fake.fail(["getUpdates"], answer(409, "Conflict: terminated by other getUpdates request"), 3);
    void bench.run();
    bench.fake.say({ text: "hello" });
    await bench.receiver.hears("hello");
  });

  it("[CT-1] takes a webhook away that stands in the way, and keeps what waits there", async () => {
    const bench = await open();
    bench.fake.say({ text: "waiting" });
    bench.fake.desk.webhook = { url: "https://elsewhere.example", secret: "" };
    void bench.run();
    await bench.receiver.hears("waiting");
    expect(bench.fake.desk.webhook).toBeUndefined();
  });

  it("stops when somebody keeps setting a webhook", async () => {
    const bench = await open();
    const why =
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    bench.fake.fail(["getUpdates"], answer(409, why), 99);
    bench.fake.fail(["deleteWebhook"], { kind: "server-error" }, 1);
    await expect(bench.run()).rejects.toMatchObject({ message: expect.stringContaining("webhook") });
  });
});

describe("files", () => {
  const fetched = async (bench: Bench, at = 0) => {
    const media = bench.receiver.heard[at]?.media?.[0];
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await media?.fetch(AbortSignal.timeout(30_000))) ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const document = (file: object) => ({
    message: {
      message_id: 3,
      date: 1,
      from: PEOPLE.alice,
      chat: { id: 42, type: "private", first_name: "A" },
      document: file,
    } as never,
  });

  it("[CT-1] hears a message whose file cannot be had, and says why it cannot", async () => {
    const bench = await open();
    bench.fake.giveUpdates(document({ file_id: "gone", file_unique_id: "g" }));
    const file = bench.fake.world.addFile(Buffer.alloc(21_000_000));
    bench.fake.giveUpdates(document({ ...file, file_name: "huge.bin" }));
    void bench.run();
    await eventually("both are heard", () => bench.receiver.kept.length === 2);
    await expect(fetched(bench, 0)).rejects.toThrow("the file cannot be had");
    await expect(fetched(bench, 1)).rejects.toThrow("the file cannot be had");
    const error = await fetched(bench, 0).catch((cause: Error) => cause);
    expect(String((error as Error).message)).not.toContain(bench.fake.token);
  });

  it("bounds a file that is larger than it was said to be", async () => {
    const bench = await open();
    bench.fake.giveUpdates(document({ ...bench.fake.world.addFile(Buffer.alloc(10)), file_name: "small.bin" }));
    void bench.run();
    await eventually("it is heard", () => bench.receiver.kept.length === 1);
    const get = bench.fake.world.files.get.bind(bench.fake.world.files);
    const large = Buffer.alloc(25_000_000);
    let asked = 0;
    bench.fake.world.files.get = (id) => (asked++ === 0 ? get(id) : large);
    await expect(fetched(bench)).rejects.toThrow(/more than/);
  });
});

it("never hears its own words", async () => {
  const bench = await open();
  bench.fake.giveUpdates({
    message: { message_id: 8, date: 1, from: BOT, text: "me", chat: { id: -5, type: "group", title: "G" } } as never,
  });
  bench.fake.say({ text: "you" });
  void bench.run();
  await bench.receiver.hears("you");
  expect(texts(bench)).toEqual(["you"]);
});

/** The fake in a process of its own, as tests of the whole gateway use it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { type Bench, openBench } from "./bench.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("serves the Bot API and its controls from another process", async () => {
  const child = spawn(process.execPath, [await bundleTs("test/platform/telegram/main.ts"), "--until-eof"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  closing.push(async () => {
    child.stdin.end();
    await once(child, "exit");
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  const control = async (path: string, body?: object) => {
    const answer = await fetch(`${url}/control/${path}`, body ? { method: "POST", body: JSON.stringify(body) } : {});
    return (await answer.json()) as Record<string, unknown>;
  };
  const bench: Bench = await openBench({ settings: { api_root: url, token } });
  closing.push(() => bench.stop());
  void bench.run();

  const { messageId } = await control("say", { text: "hello", fromId: 77 });
  expect(await bench.receiver.hears("hello")).toMatchObject({ eventId: `77:${messageId}`, sender: { id: "77" } });
  const media = { name: "a.bin", mediaType: "application/x-a", base64: "AAEC" };
  await control("say", { text: "a file", media });
  expect((await bench.receiver.hears("a file")).media).toMatchObject([{ name: "a.bin", bytes: 3 }]);

  await control("fail", { fault: { kind: "rate-limited", afterMs: 4_000 } });
  expect(await bench.send("dm", "hi")).toMatchObject({ kind: "retry", afterMs: 4_000 });
  expect(await bench.send("dm", { text: "hi", buttons: [{ label: "Yes", token: "y" }] })).toMatchObject({
    kind: "sent",
  });
  expect(await control("shown?chat=dm")).toEqual([{ text: "hi", buttons: ["Yes"] }]);
  expect(await control("shown?chatId=42")).toHaveLength(1);
  expect(await control("press", { label: "Yes" })).toEqual({ text: "noted" });
  expect(await control("calls")).toMatchObject({ sendMessage: 2 });
  expect(await control("fail", { fault: { kind: "gone" }, methods: ["getMe"] })).toEqual({});
  expect(await control("heal", {})).toEqual({});
  await control("redeliver", { times: 2 });
  expect((await control("acknowledged"))["count"]).toBeTypeOf("number");
});

/** What a test in another process can ask of the fake. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PeerChat } from "../../../../src/platform/contract/scene.js";
import { answerJson, type Fault } from "./faults.js";
import type { FakeDiscord, SayOptions } from "./server.js";

type Asked = Record<string, unknown>;

export async function answerControl(
  request: IncomingMessage,
  response: ServerResponse,
  fake: FakeDiscord,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://fake");
  const act = ACTS[url.pathname.replace("/__control/", "")];
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const asked =
    chunks.length === 0 ? Object.fromEntries(url.searchParams) : JSON.parse(Buffer.concat(chunks).toString());
  if (act === undefined) answerJson(response, 404, { message: `no such control: ${url.pathname}` });
  else answerJson(response, 200, await act(fake, asked));
}

const ACTS: Readonly<Record<string, (fake: FakeDiscord, asked: Asked) => Promise<unknown>>> = {
  say: async (fake, asked) => ({ id: (await fake.say(asked as unknown as SayOptions)).id }),
  shown: async (fake, asked) => fake.shown(String(asked["chat"] ?? "dm")),
  press: async (fake, asked) => ({ text: await fake.press(asked["chat"] as PeerChat, String(asked["label"])) }),
  command: async (fake, { chat, name, args }) => ({
    text: await fake.command(chat as PeerChat, String(name), args === undefined ? undefined : String(args)),
  }),
  fail: async (fake, { fault, times }) => {
    fake.fail(fault as Fault, Number(times ?? 1));
    return {};
  },
  line: async ({ gateway }, { act }) => {
    if (act === "cut") gateway.cut();
    if (act === "forget") gateway.forgetSessions();
    if (act === "reconnect") gateway.askToReconnect();
    if (act === "repeat") gateway.repeat("MESSAGE_CREATE");
    if (act === "zombie" || act === "alive") gateway.isZombie = act === "zombie";
    return {};
  },
  counts: async ({ gateway, seen }) => ({
    ...{ identifies: gateway.identifies, resumes: gateway.resumes, lines: gateway.lines, requests: seen.length },
  }),
};

/**
 * The fake's controls over HTTP, for tests in another process. Bodies and answers are JSON:
 *
 *   POST /control/say {text, who?, chat?, isMention?, fromId?, chatId?, media?: {name, mediaType, base64}} → {messageId}
 *   POST /control/fail {methods?: ["send"], fault: {kind, …}, times?}      POST /control/heal
 *   POST /control/press {chat?, label} → {text}                           POST /control/redeliver {times?}
 *   POST /control/give {updates}                                          POST /control/jump {to}
 *   POST /control/shuffle {seed?}                                         POST /control/cut
 *   GET  /control/shown?chat=dm | ?chatId=42[&threadId=7] → [{text, buttons?, media?}]
 *   GET  /control/sent → every message of ours                            GET /control/calls → {method: count}
 *   GET  /control/acknowledged → {count, pending}                         GET /control/menu → [{command, description}]
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PeerChat } from "../../../src/platform/contract/scene.js";
import type { TelegramFault } from "./fake-faults.js";
import type { FakeTelegram } from "./fake-telegram.js";
import type { UpdateBody } from "./fake-updates.js";
import { type Words, whereIs } from "./fake-world.js";

interface Exchange {
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Body extends Partial<Omit<Words, "media">> {
  readonly media?: { readonly name: string; readonly mediaType: string; readonly base64: string };
  readonly methods?: readonly string[];
  readonly fault?: TelegramFault;
  readonly times?: number;
  readonly label?: string;
  readonly updates?: readonly UpdateBody[];
  readonly to?: number;
  readonly seed?: number;
}

type Act = (fake: FakeTelegram, body: Body, url: URL) => unknown;

const ACTS: Readonly<Record<string, Act>> = {
  say(fake, { media, text = "", ...words }) {
    const file = media && { ...media, bytes: Buffer.from(media.base64, "base64") };
    return { messageId: fake.say({ ...words, text, ...(file ? { media: file } : {}) }) };
  },
  fail: (fake, { methods = ["send"], fault = { kind: "server-error" }, times = 1 }) => fake.fail(methods, fault, times),
  heal: (fake) => fake.heal(),
  press: async (fake, { chat = "dm", label = "" }) => ({ text: await fake.press(chat, label) }),
  redeliver: (fake, { times = 1 }) => fake.world.updates.redeliver(times),
  give: (fake, { updates = [] }) => fake.giveUpdates(...updates),
  jump: (fake, { to = 1 }) => fake.world.updates.jump(to),
  shuffle: (fake, { seed = 1 }) => fake.world.updates.reorder(shuffler(seed)),
  cut: (fake) => fake.peer.cutLine?.(),
  shown(fake, _, url) {
    const [chatId, threadId] = [url.searchParams.get("chatId"), url.searchParams.get("threadId")];
    if (chatId === null) return fake.world.shown(whereIs((url.searchParams.get("chat") ?? "dm") as PeerChat));
    return fake.world.shown({ chatId: Number(chatId), ...(threadId === null ? {} : { threadId: Number(threadId) }) });
  },
  sent: (fake) => fake.sent(),
  calls: (fake) => fake.calls(),
  acknowledged: ({ world }) => ({ count: world.updates.confirmedCount(), pending: world.updates.pendingCount() }),
  menu: (fake) => fake.desk.menu,
};

export async function answerControl(fake: FakeTelegram, { url, request, response }: Exchange): Promise<void> {
  const act = ACTS[url.pathname.slice("/control/".length)];
  if (act === undefined) return void response.writeHead(404).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    const value = await act(fake, text === "" ? {} : JSON.parse(text), url);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value ?? {}));
  } catch (error) {
    response.writeHead(400).end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  }
}

/** An order that is the same for the same seed. */
export function shuffler(seed: number) {
  return <T>(items: readonly T[]): readonly T[] => {
    let state = seed;
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state;
    };
    return items
      .map((item) => ({ item, rank: next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  };
}

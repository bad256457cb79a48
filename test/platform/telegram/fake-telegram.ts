/**
 * The Bot API on loopback, for tests that go through the real library: updates with offsets and long polling, webhooks,
 * sends that are checked as Telegram checks them, files, and every fault that a line or a server can have. It can run in
 * a process of its own (`main.ts`); `/control/…` then does what the methods here do.
 */
import { randomInt } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Peer, PeerChat } from "../../../src/platform/contract/scene.js";
import { answerControl } from "./fake-control.js";
import { FaultPlan, isTaken, playFault, refusal, refusalOf, type TelegramFault } from "./fake-faults.js";
import { type Call, type Desk, perform, Refused, SENDS } from "./fake-methods.js";
import { readMultipart } from "./fake-multipart.js";
import type { UpdateBody } from "./fake-updates.js";
import { callWebhook } from "./fake-webhook.js";
import { PEOPLE, type Posted, TOKEN, type Words, World, whereIs } from "./fake-world.js";

export interface FakeTelegram {
  readonly apiRoot: string;
  readonly token: string;
  readonly peer: Peer;
  readonly world: World;
  readonly desk: Desk;
  /** Like `peer.say`, and for anybody in any chat; answers the message's number. */
  say(words: Words): number;
  giveUpdates(...updates: readonly UpdateBody[]): void;
  /** What we have sent, oldest first. */
  sent(): readonly Posted[];
  /** How often each method was called. */
  calls(): Readonly<Record<string, number>>;
  /** Faults for methods by their names; `send` stands for all that send. */
  fail(methods: readonly string[], fault: TelegramFault, times?: number): void;
  /** No planned fault is left. */
  heal(): void;
  press(chat: PeerChat, label: string): Promise<string>;
  /** Ends every connection, and refuses new ones until the returned function is called. */
  partition(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export async function startFakeTelegram(options: { readonly port?: number } = {}): Promise<FakeTelegram> {
  const world = new World();
  const desk: Desk = { world, webhook: undefined, menu: [], actions: [], reactions: [], presses: new Map() };
  const faults = new FaultPlan();
  const calls: Record<string, number> = {};
  const server = createServer((request, response) => void route(request, response));
  const stopping = new AbortController();
  const poller = { current: new AbortController() };
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname.startsWith("/control/")) return answerControl(fake, { url, request, response });
    const [, kind, token, path = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
    if (kind === "file/") return serveFile(world, path, response);
    calls[path] = (calls[path] ?? 0) + 1;
    const fault = faults.next(path);
    if (fault?.kind === "half-open") return;
    if (fault?.kind === "cut-before") return playFault(fault, response, undefined);
    const call = await readCall(request, path);
    if (token !== TOKEN) return answer(response, refusal(401, "Unauthorized"));
    if (fault === undefined) return answer(response, await result(call, response));
    const isPlain = fault.kind === "markup-refused" && call.fields["parse_mode"] === undefined;
    if (isPlain) return answer(response, await result(call, response));
    const taken = isTaken(fault) ? await result(call, response) : undefined;
    const refused = refusalOf(fault);
    if (refused) answer(response, refused);
    else playFault(fault, response, taken);
  }

  async function result(call: Call, response: ServerResponse): Promise<object> {
    try {
      const value = call.method === "getUpdates" ? await getUpdates(call, response) : perform(desk, call);
      if (call.method === "setWebhook") void callWebhook(desk, stopping.signal);
      return { ok: true, result: value };
    } catch (error) {
      if (error instanceof Refused) return error.answer();
      throw error;
    }
  }

  /** A second one ends the first: one consumer for a token. */
  async function getUpdates({ fields }: Call, response: ServerResponse): Promise<unknown> {
    if (desk.webhook !== undefined)
      throw new Refused(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    poller.current.abort();
    const mine = new AbortController();
    poller.current = mine;
    response.once("close", () => mine.abort());
    const signal = AbortSignal.any([mine.signal, stopping.signal]);
    const [offset, limit] = [Number(fields["offset"] ?? 0), Number(fields["limit"] ?? 100)];
    world.updates.take(offset, limit);
    await world.updates.arrival(Number(fields["timeout"] ?? 0) * 1000, signal);
    if (poller.current !== mine)
      throw new Refused(
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
      );
    return signal.aborted ? [] : world.updates.take(offset, limit);
  }

  const isSend = (method: string) => (SENDS as readonly string[]).includes(method);
  const give = (act: () => void): void => {
    act();
    void callWebhook(desk, stopping.signal);
  };

  function press(chat: PeerChat, label: string): Promise<string> {
    const where = whereIs(chat);
    const posted = world.posted.findLast(
      (one) => one.chatId === where.chatId && one.buttons.some(({ text }) => text === label),
    );
    const button = posted?.buttons.find(({ text }) => text === label);
    if (posted === undefined || button === undefined) return Promise.reject(new Error(`there is no button ${label}`));
    const id = String(randomInt(2 ** 40));
    const message = {
      message_id: posted.messageId,
      date: 1,
      chat: { id: posted.chatId, type: "private", first_name: "Someone" },
    };
    const query = { id, from: PEOPLE.alice, data: button.callback_data, chat_instance: "1", message };
    const answered = new Promise<string>((resolve) => desk.presses.set(id, resolve));
    give(() => world.updates.push({ callback_query: query as never }));
    return answered;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  const fake: FakeTelegram = {
    apiRoot: `http://127.0.0.1:${port}`,
    token: TOKEN,
    world,
    desk,
    say(words) {
      let id = 0;
      give(() => {
        id = world.say(words).message_id;
      });
      return id;
    },
    giveUpdates: (...updates) => give(() => world.updates.push(...updates)),
    sent: () => world.posted,
    calls: () => calls,
    fail: (methods, fault, times = 1) =>
      faults.add((method) => methods.includes(method) || (methods.includes("send") && isSend(method)), fault, times),
    heal: () => faults.clear(),
    press,
    async partition() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return () => listen(server, port);
    },
    stop,
    peer: {
      say: async (words) => give(() => world.say(words)),
      redeliver: async () => give(() => world.updates.redeliver()),
      acknowledged: async () => world.updates.confirmedCount(),
      shown: async (chat) => world.shown(whereIs(chat)),
      press,
      fail: (fault, times = 1) => faults.add(isSend, fault, times),
      cutLine: async () => server.closeAllConnections(),
      stop,
    },
  };
  return fake;
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}

function serveFile(world: World, path: string, response: ServerResponse): void {
  const bytes = world.files.get(/([^/]+)\.bin$/.exec(path)?.[1] ?? "");
  if (bytes === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-length": String(bytes.length) }).end(bytes);
}

async function readCall(request: IncomingMessage, method: string): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return { method, ...readMultipart(body, type) };
  return { method, fields: body.length === 0 ? {} : JSON.parse(body.toString("utf8")), files: new Map() };
}

function answer(response: ServerResponse, value: object): void {
  const status = "error_code" in value ? Number(value.error_code) : 200;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

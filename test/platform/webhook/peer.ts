/** The other side of a webhook: it posts what people say to our door, and takes our answers on a server of its own. */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "#base/clock.js";
import type { Peer, PeerChat, PeerFault, PeerWords, PlatformScene, Shown } from "#platform/contract/scene.js";
import type { Platform, PlatformKind } from "#platform/platform.js";
import { type WebhookSettings, webhook } from "#platform/webhook/kind.js";

export const SECRET = "a secret of more than sixteen characters";
const TRICKLE_MS = 250;

const WHERE: Readonly<Record<PeerChat, Readonly<Record<string, string>>>> = {
  dm: { chat: "alice" },
  group: { chat: "kitchen", type: "group" },
  thread: { chat: "kitchen", type: "thread", thread: "dinner" },
};

export async function webhookScene(): Promise<PlatformScene> {
  const door = await Door.open();
  const peer = new WebhookPeer(door);
  await peer.listen();
  const kind: PlatformKind<WebhookSettings> = {
    ...webhook,
    open: async (settings, parts) => {
      door.platform = await webhook.open(settings, parts);
      return door.platform;
    },
  };
  return {
    kind: kind as PlatformKind,
    settings: { secret: SECRET, out_url: peer.url },
    peer,
    chats: ["dm", "group", "thread"],
    place: (chat) => ({
      chat:
        chat === "thread"
          ? { type: "thread", id: "kitchen", threadId: "dinner" }
          : { type: chat, id: WHERE[chat]["chat"] ?? "" },
    }),
    lacks: { "markup-refused": "text is handed over as it is" },
  };
}

/** An HTTP server around `Platform.http`, as the gateway has one. */
export class Door {
  platform: Platform | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
  }

  static async open(): Promise<Door> {
    const door = new Door();
    await new Promise<void>((resolve) => void door.#server.listen(0, "127.0.0.1", resolve));
    return door;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const body = await bodyOf(incoming);
    const given = await this.platform?.http?.({ method, path: url, headers: headers as Record<string, string>, body });
    response.writeHead(given?.status ?? 404, given?.headers).end(given?.body);
  }
}

interface Post {
  readonly body: Readonly<Record<string, unknown>>;
  isTaken: boolean;
}

class WebhookPeer implements Peer {
  readonly #door: Door;
  readonly #out: Server;
  readonly #posts: Post[] = [];
  readonly #shown = new Map<string, Shown & { readonly chat: string; readonly tokens: readonly string[] }>();
  readonly #faults: PeerFault[] = [];
  readonly #sockets = new Set<Socket>();
  #acknowledged = 0;
  #isStopped = false;
  /** One request behind the other: that is how a sender keeps an order. */
  #posting: Promise<unknown> = Promise.resolve();

  constructor(door: Door) {
    this.#door = door;
    this.#out = createServer((incoming, response) => void this.#take(incoming, response));
    this.#out.on("connection", (socket) => this.#sockets.add(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => void this.#out.listen(0, "127.0.0.1", resolve));
  }

  get url(): string {
    return `${urlOf(this.#out)}/answers`;
  }

  async say({ text, chat = "dm", who = "alice", isMention = false }: PeerWords): Promise<void> {
    const where = chat === "dm" ? { chat: who } : WHERE[chat];
    const addressed = chat === "dm" ? {} : { addressed: isMention };
    const one = {
      body: { id: `event-${this.#posts.length}`, ...where, user: who, text, ...addressed },
      isTaken: false,
    };
    this.#posts.push(one);
    this.#post(one);
  }

  async redeliver(): Promise<void> {
    for (const one of this.#posts) this.#post(one);
  }

  async acknowledged(): Promise<number> {
    return this.#acknowledged;
  }

  async shown(chat: PeerChat): Promise<readonly Shown[]> {
    const here = [...this.#shown.values()].filter((one) => one.chat === keyOf(WHERE[chat]));
    return here.map(({ text, buttons }) => ({ text, ...(buttons === undefined ? {} : { buttons }) }));
  }

  async press(chat: PeerChat, label: string): Promise<string> {
    const message = [...this.#shown.values()].filter((one) => one.chat === keyOf(WHERE[chat])).at(-1);
    const press = message?.tokens[message.buttons?.indexOf(label) ?? -1] ?? "";
    const given = await postTo(this.#door.url, JSON.stringify({ ...WHERE[chat], user: "alice", press }));
    return (JSON.parse(given.body) as { text: string }).text;
  }

  fail(fault: PeerFault, times = 1): void {
    for (let at = 0; at < times; at++) this.#faults.push(fault);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#door.close();
    await this.#posting;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#out.close(resolve));
  }

  #post(one: Post): void {
    this.#posting = this.#posting.then(async () => {
      const given = await postTo(this.#door.url, JSON.stringify(one.body)).catch(() => ({ status: 0, body: "" }));
      if (given.status !== 200 || one.isTaken) return;
      one.isTaken = true;
      this.#acknowledged++;
    });
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.#faults.shift();
    if (fault?.kind === "cut-before") {
      incoming.socket.destroy();
      return;
    }
    const body = await bodyOf(incoming);
    const refusal = { "rate-limited": 429, "server-error": 500, gone: 410 }[fault?.kind as string];
    if (refusal !== undefined) {
      const after = fault?.kind === "rate-limited" ? { "retry-after": String(fault.afterMs / 1000) } : {};
      response.writeHead(refusal, after).end();
      return;
    }
    const isNew = this.#show(incoming, body);
    if (fault?.kind === "cut-after") incoming.socket.destroy();
    else if (fault?.kind === "slow") await this.#trickle(incoming.socket);
    else if (fault === undefined) response.writeHead(isNew === "forged" ? 401 : isNew ? 200 : 409).end("{}");
  }

  /** Once for a key, however often it comes. */
  #show(incoming: IncomingMessage, body: Buffer): boolean | "forged" {
    const key = String(incoming.headers["idempotency-key"]);
    const timestamp = String(incoming.headers["x-talaria-timestamp"]);
    if (incoming.headers["x-talaria-signature"] !== sign(timestamp, key, body)) return "forged";
    if (this.#shown.has(key)) return false;
    const said = JSON.parse(body.toString());
    const buttons: { label: string; token: string }[] = said.buttons ?? [];
    const labels = buttons.length === 0 ? {} : { buttons: buttons.map(({ label }) => label) };
    this.#shown.set(key, { chat: keyOf(said), text: said.text, tokens: buttons.map(({ token }) => token), ...labels });
    return true;
  }

  async #trickle(socket: Socket): Promise<void> {
    for (const character of "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n") {
      if (this.#isStopped || socket.destroyed) return;
      socket.write(character);
      await systemClock.sleep(TRICKLE_MS);
    }
  }
}

export function sign(timestamp: string, key: string, body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${key}.`).update(body).digest("hex")}`;
}

export interface Given {
  readonly status: number;
  readonly body: string;
}

/** Signs and posts; headers given here stand in place of the right ones. */
export function postTo(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Given> {
  const timestamp = headers["x-talaria-timestamp"] ?? String(Math.floor(systemClock.nowMs() / 1000));
  const signature = sign(timestamp, headers["idempotency-key"] ?? "", body);
  const all = { "x-talaria-timestamp": timestamp, "x-talaria-signature": signature, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: all, agent: false }, (response) => {
      bodyOf(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text.toString() }), reject);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function keyOf(where: Readonly<Record<string, unknown>>): string {
  return `${where["chat"]}/${where["thread"] ?? ""}`;
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

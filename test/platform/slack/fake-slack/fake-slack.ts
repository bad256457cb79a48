/**
 * Slack on loopback: its Web API, Socket Mode and event requests over the real wire, with faults. Everything it is asked
 * is checked as Slack checks it, and kept.
 *
 *   const fake = await startFakeSlack();
 *   const ts = fake.say({ user: "alice", text: "hello" });
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { PeerFault } from "../../../../src/platform/contract/scene.js";
import { control } from "./control.js";
import { Lines } from "./lines.js";
import { ApiError, checkToken, METHODS, type MethodContext, type Result, readable } from "./methods.js";
import { BOT, type FakeMessage, TOKENS, World } from "./world.js";

export type SlackPeerFault =
  | PeerFault
  /** 429 without a word of how long. */
  | { readonly kind: "rate-limited-bare" }
  /** Slack's own error; `isTaken` when the work was done nevertheless. */
  | { readonly kind: "error"; readonly code: string; readonly isTaken?: boolean }
  | { readonly kind: "status"; readonly status: number; readonly body?: string }
  /** A page instead of an answer, with a 200. */
  | { readonly kind: "page" }
  /** It happens when the test says so, whether somebody still waits for the answer or not. */
  | { readonly kind: "late"; readonly when: Promise<void> }
  /** Success, and no name of the message. */
  | { readonly kind: "no-ts" };

export interface Say {
  /** Name or id; default alice. */
  readonly user?: string;
  /** Default: their direct chat. */
  readonly channel?: string;
  readonly text: string;
  readonly thread?: string;
  readonly isMention?: boolean;
  readonly file?: { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array };
  /** Whoever is away does not hear of it: it stands in the history alone. */
  readonly isSilent?: boolean;
  readonly ts?: string;
}

export interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
}

/** Requests for which a fault of sending counts. */
const SENDS = new Set(["chat.postMessage", "files.completeUploadExternal"]);
const CALLS_KEPT = 20_000;
const TRICKLE_MS = 300;

export class FakeSlack {
  readonly world = new World();
  readonly lines = new Lines();
  readonly calls: Call[] = [];
  readonly ephemerals: string[] = [];
  scopes: readonly string[] = ["chat:write", "app_mentions:read", "im:history", "channels:history", "users:read"];
  readonly #faults: { readonly fault: SlackPeerFault; times: number; readonly method?: string }[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  readonly #sockets = new Set<Duplex>();
  url = "";

  get apiRoot(): string {
    return `${this.url}/api/`;
  }

  get settings() {
    return { bot_token: TOKENS.bot, app_token: TOKENS.app, api_root: this.apiRoot };
  }

  get httpSettings() {
    return { bot_token: TOKENS.bot, signing_secret: TOKENS.signing, api_root: this.apiRoot };
  }

  async start(port = 0): Promise<this> {
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => this.lines.upgrade(request, socket, head));
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.lines.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Somebody writes; the message's timestamp. */
  say(words: Say): string {
    const user = this.world.userNamed(words.user ?? "alice");
    const mention = words.isMention === true ? `<@${BOT.user}> ` : "";
    const file = words.file && {
      id: this.world.nextId("F"),
      name: words.file.name,
      mimetype: words.file.mediaType,
      bytes: Buffer.from(words.file.bytes),
    };
    if (file !== undefined) this.world.files.set(file.id, file);
    const text = mention + escaped(words.text);
    const message = this.world.add({
      channel: words.channel ?? user.dm,
      user: user.id,
      text,
      client_msg_id: crypto.randomUUID(),
      ...(words.ts === undefined ? {} : { ts: words.ts }),
      ...(words.thread === undefined ? {} : { thread_ts: words.thread }),
      ...(file === undefined ? {} : { files: [file], subtype: "file_share" }),
    });
    if (words.isSilent === true) return message.ts;
    this.lines.give("events_api", this.eventBody(this.messageEvent(message)));
    if (words.isMention === true && !message.channel.startsWith("D"))
      this.lines.give("events_api", this.eventBody({ ...this.messageEvent(message), type: "app_mention" }));
    return message.ts;
  }

  messageEvent(message: FakeMessage): Result {
    const { reactions: _reactions, files, ...said } = message;
    const root = message.thread_ts === undefined ? undefined : this.world.find(message.channel, message.thread_ts);
    const shown = files?.map(({ id, name, mimetype, bytes }) => {
      const url = `${this.url}/files/${id}/${encodeURIComponent(name)}`;
      return { id, name, mimetype, size: bytes.length, url_private: url, url_private_download: `${url}?download=1` };
    });
    return {
      type: "message",
      ...said,
      channel_type: message.channel.startsWith("D") ? "im" : "channel",
      event_ts: message.ts,
      ...(root === undefined ? {} : { parent_user_id: root.user }),
      ...(shown === undefined ? {} : { files: shown }),
    };
  }

  eventBody(event: Result): Result {
    const stamp = { team_id: BOT.team, api_app_id: BOT.app, event_time: Math.floor(Date.now() / 1_000) };
    return { type: "event_callback", ...stamp, event_id: this.world.nextId("Ev"), event };
  }

  /** Somebody types a slash command. */
  command(typed: { command: string; text: string; user?: string; channel?: string }): void {
    const user = this.world.userNamed(typed.user ?? "alice");
    this.lines.give("slash_commands", {
      command: typed.command,
      text: typed.text,
      trigger_id: this.world.nextId("trigger."),
      channel_id: typed.channel ?? user.dm,
      user_id: user.id,
      user_name: user.name,
      team_id: BOT.team,
      response_url: `${this.url}/response/command`,
    });
  }

  /** Presses the button; what whoever pressed it is shown. */
  async press(channel: string, label: string, name = "alice"): Promise<string> {
    const found = this.world.messages.flatMap((message) => {
      if (message.channel !== channel) return [];
      const buttons = (message.attachments ?? []).flatMap(({ blocks = [] }) =>
        blocks.flatMap(({ elements = [] }) => elements),
      );
      return buttons.filter(({ text }) => text.text === label).map((button) => ({ message, button }));
    });
    const last = found.at(-1);
    if (last === undefined) throw new Error(`no button says ${label}`);
    const before = this.ephemerals.length;
    const user = this.world.userNamed(name);
    const { message, button } = last;
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    this.lines.give("interactive", {
      type: "block_actions",
      user: { id: user.id, username: user.name, name: user.name },
      channel: { id: channel },
      container: { type: "message_attachment", message_ts: message.ts, channel_id: channel, ...thread },
      message: { ts: message.ts, ...thread },
      trigger_id: this.world.nextId("trigger."),
      response_url: `${this.url}/response/press`,
      actions: [{ ...button, action_ts: this.world.nextTs() }],
    });
    for (let look = 0; look < 500 && this.ephemerals.length === before; look++) await pause(10);
    return this.ephemerals[before] ?? "";
  }

  /** How the next `times` sends (or calls of `method`) fare. */
  fail(fault: SlackPeerFault, times = 1, method?: string): void {
    this.#faults.push({ fault, times, ...(method === undefined ? {} : { method }) });
  }

  /** What people see of ours, oldest first. */
  shown(channel: string, thread?: string) {
    return this.world
      .at(channel, thread)
      .filter(({ user }) => user === BOT.user)
      .map(({ text, attachments = [], files = [] }) => {
        const buttons = attachments.flatMap(({ blocks = [] }) => blocks.flatMap(({ elements = [] }) => elements));
        const [file] = files;
        return {
          text: readable(text),
          ...(buttons.length === 0 ? {} : { buttons: buttons.map((button) => button.text.text) }),
          ...(file === undefined ? {} : { media: { name: file.name, bytes: file.bytes.length } }),
        };
      });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.url);
    const [, first = "", second = ""] = pathname.split("/");
    if (first === "api") return this.#api(second, request, response);
    if (first === "files") return this.#file(second, request, response);
    const body = await bodyOf(request);
    if (first === "upload") return this.#upload(second, body, request, response);
    if (first === "response") {
      this.ephemerals.push(readable((JSON.parse(body.toString()) as { text: string }).text));
      return end(response, 200, { ok: true });
    }
    const told = first === "__control" ? await control(this, second, body.toString()) : undefined;
    return end(response, told === undefined ? 404 : 200, told ?? {});
  }

  async #api(method: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.#faultFor(method);
    if (fault?.kind === "cut-before") return void request.socket.destroy();
    const args = Object.fromEntries(new URLSearchParams((await bodyOf(request)).toString()));
    this.calls.push({ method, args });
    if (this.calls.length > CALLS_KEPT) this.calls.shift();
    if (fault !== undefined) return this.#misbehave(fault, { method, args, request, response });
    end(response, 200, this.#run(method, args, request), { "x-oauth-scopes": this.scopes.join(",") });
  }

  #run(method: string, args: Call["args"], request: IncomingMessage): Result {
    try {
      checkToken(method, request.headers.authorization);
      const act = METHODS[method];
      if (act === undefined) throw new ApiError("unknown_method");
      return { ok: true, ...act(args, this.#context()) };
    } catch (error) {
      if (error instanceof ApiError) return { ok: false, error: error.code, ...error.more };
      throw error;
    }
  }

  #context(): MethodContext {
    const ticketUrl = `${this.url.replace("http", "ws")}/link/?ticket=1`;
    return {
      world: this.world,
      url: this.url,
      ticketUrl,
      scopes: this.scopes,
      onEphemeral: (text) => this.ephemerals.push(readable(text)),
    };
  }

  #faultFor(method: string): SlackPeerFault | undefined {
    const at = this.#faults.findIndex((one) => (one.method === undefined ? SENDS.has(method) : one.method === method));
    const found = this.#faults[at];
    if (found === undefined) return undefined;
    found.times--;
    if (found.times <= 0) this.#faults.splice(at, 1);
    return found.fault;
  }

  #misbehave(
    fault: SlackPeerFault,
    at: { method: string; args: Call["args"]; request: IncomingMessage; response: ServerResponse },
  ): undefined {
    const { request, response } = at;
    const run = (): Result => this.#run(at.method, at.args, request);
    switch (fault.kind) {
      case "rate-limited":
        return end(
          response,
          429,
          { ok: false, error: "ratelimited" },
          { "retry-after": String(Math.ceil(fault.afterMs / 1_000)) },
        );
      case "rate-limited-bare":
        return end(response, 429, { ok: false, error: "ratelimited" });
      case "server-error":
        return end(response, 500, { ok: false, error: "internal_error" });
      case "status":
        return void response.writeHead(fault.status).end(fault.body ?? "<html>no</html>");
      case "page":
        return void response.writeHead(200, { "content-type": "text/html" }).end("<html>log in</html>");
      case "error":
        if (fault.isTaken === true) run();
        return end(response, 200, {
          ok: false,
          error: fault.code,
          ...(fault.code === "missing_scope" ? { needed: "chat:write" } : {}),
        });
      case "gone":
        return end(response, 200, { ok: false, error: "is_archived" });
      case "markup-refused":
        return end(response, 200, { ok: false, error: "invalid_blocks" });
      case "no-ts":
        return end(response, 200, { ...run(), ts: undefined });
      case "cut-after":
        run();
        return void request.socket.destroy();
      case "silent":
        return void run();
      case "late":
        return void fault.when.then(() => {
          const result = run();
          if (!response.destroyed) end(response, 200, result);
        });
      case "slow":
        return this.#trickle(JSON.stringify(run()), response);
    }
  }

  #trickle(text: string, response: ServerResponse): undefined {
    response.writeHead(200, { "content-type": "application/json" });
    let at = 0;
    const timer = setInterval(() => {
      if (at >= text.length || response.destroyed) return clearInterval(timer);
      response.write(text[at++]);
    }, TRICKLE_MS);
    this.#timers.add(timer);
    return undefined;
  }

  #file(id: string, request: IncomingMessage, response: ServerResponse): undefined {
    const file = this.world.files.get(id);
    // To a stranger Slack shows its login page.
    if (request.headers.authorization !== `Bearer ${TOKENS.bot}`)
      return void response.writeHead(200, { "content-type": "text/html" }).end("<html>log in</html>");
    if (file === undefined) return end(response, 404, {});
    response.writeHead(200, { "content-type": file.mimetype, "content-length": file.bytes.length }).end(file.bytes);
    return undefined;
  }

  #upload(id: string, body: Buffer, request: IncomingMessage, response: ServerResponse): undefined {
    const file = this.world.files.get(id);
    const length = Number(new URL(request.url ?? "/", this.url).searchParams.get("length"));
    if (file === undefined || body.length !== length) return end(response, 400, {});
    file.bytes = body;
    response.writeHead(200).end(`OK - ${length}`);
    return undefined;
  }
}

export async function startFakeSlack(port = 0): Promise<FakeSlack> {
  return new FakeSlack().start(port);
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function end(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): undefined {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

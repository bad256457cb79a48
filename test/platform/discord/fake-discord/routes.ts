/** The REST API, as far as a bot that talks needs it. Refuses what Discord refuses, with its codes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerFaulty, answerJson, type Fault, type Faults, refuse } from "./faults.js";
import type { FakeGateway } from "./gateway.js";
import type { FakeChannel, FakeMessage, FakeRow, World } from "./world.js";

export interface RouteParts {
  readonly world: World;
  readonly gateway: FakeGateway;
  readonly faults: Faults;
  readonly readFaults: Faults;
  readonly token: string;
  readonly baseUrl: () => string;
  /** Interactions that wait for an answer, by token. */
  readonly pending: Map<string, (text: string) => void>;
  readonly seen: Seen[];
}

/** What was asked, for tests that count. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly files: readonly File[];
}

type Body = Record<string, unknown>;
type Answer = readonly [status: number, body?: unknown];

const NO_CONTENT: Answer = [204];
const TEXT_MAX = 2000;

export async function answerRest(request: IncomingMessage, response: ServerResponse, parts: RouteParts): Promise<void> {
  const url = new URL(request.url ?? "/", "http://fake");
  const path = url.pathname.replace(/^\/api\/v10/, "");
  const method = request.method ?? "GET";
  const isSend = /^(POST|PATCH) \/channels\/\d+\/messages(\/\d+)?$/.test(`${method} ${path}`);
  const isRead = /^GET \/channels\/\d+\/messages$/.test(`${method} ${path}`);
  const fault = isSend ? parts.faults.take() : isRead ? parts.readFaults.take() : undefined;
  if (fault?.kind === "cut-before") return void response.destroy();
  const asked = { method, path, query: url.searchParams, ...(await bodyOf(request)) };
  parts.seen.push({ method, path, body: asked.body });
  if (fault !== undefined && refuse(fault, response)) return;
  const isOpen = /^\/(interactions|webhooks)\//.test(path);
  const isKnown = request.headers.authorization === `Bot ${parts.token}`;
  const [status, body] = isOpen || isKnown ? route(asked, parts) : unauthorized();
  if (fault !== undefined && status < 300) return answerFaulty(fault, body, response);
  answerJson(response, status, body);
}

function unauthorized(): Answer {
  return [401, { message: "401: Unauthorized", code: 0 }];
}

function no(status: number, code: number, message: string): Answer {
  return [status, { message, code }];
}

type Handler = (asked: Asked, parts: RouteParts, ids: readonly string[]) => Answer;

const ROUTES: readonly (readonly [RegExp, Handler])[] = [
  [/^GET \/gateway\/bot$/, (_, { gateway, baseUrl }) => [200, gatewayBot(gateway, baseUrl())]],
  [/^GET \/users\/@me$/, (_, { world }) => [200, world.bot]],
  [/^GET \/applications\/@me$/, (_, { world }) => [200, { id: world.applicationId }]],
  [/^PUT \/applications\/(\d+)\/commands$/, ({ body }) => setCommands(body)],
  [/^POST \/interactions\/(\d+)\/([^/]+)\/callback$/, (asked, parts, [, token]) => callback(asked, parts, token ?? "")],
  [
    /^PATCH \/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
    ({ body }, parts, [, token]) => resolveInteraction(parts, token ?? "", String(body["content"])),
  ],
  [/^GET \/channels\/(\d+)$/, (_, { world }, [id]) => inChannel(world, id, (channel) => [200, channel])],
  [/^PATCH \/channels\/(\d+)$/, ({ body }, { world }, [id]) => inChannel(world, id, (one) => setArchived(one, body))],
  [/^GET \/channels\/(\d+)\/messages$/, (asked, { world }, [id]) => list(asked, world, id)],
  [
    /^POST \/channels\/(\d+)\/messages$/,
    (asked, parts, [id]) => inChannel(parts.world, id, (one) => post(asked, parts, one)),
  ],
  [/^GET \/channels\/(\d+)\/messages\/(\d+)$/, (_, { world }, ids) => inMessage(world, ids, (one) => [200, one])],
  [
    /^PATCH \/channels\/(\d+)\/messages\/(\d+)$/,
    ({ body }, { world }, ids) => inMessage(world, ids, (one) => edit(one, body)),
  ],
  [/^POST \/channels\/(\d+)\/messages\/(\d+)\/threads$/, openThread],
  [/^POST \/channels\/(\d+)\/typing$/, (_, { world }, [id]) => inChannel(world, id, () => NO_CONTENT)],
  [
    /^PUT \/channels\/(\d+)\/messages\/(\d+)\/reactions\/.+\/@me$/,
    (_, { world }, ids) => inMessage(world, ids, () => NO_CONTENT),
  ],
];

function route(asked: Asked, parts: RouteParts): Answer {
  const line = `${asked.method} ${asked.path}`;
  for (const [pattern, handler] of ROUTES) {
    const found = pattern.exec(line);
    if (found !== null) return handler(asked, parts, found.slice(1));
  }
  return no(404, 0, `404: Not Found ${line}`);
}

function gatewayBot(gateway: FakeGateway, baseUrl: string): object {
  const url = baseUrl.replace(/^http/, "ws");
  return { url, shards: 1, session_start_limit: gateway.sessionLimit };
}

function inChannel(world: World, id: string | undefined, act: (channel: FakeChannel) => Answer): Answer {
  const channel = world.channels.get(id ?? "");
  return channel === undefined ? no(404, 10003, "Unknown Channel") : act(channel);
}

function inMessage(world: World, [channelId, id]: readonly string[], act: (message: FakeMessage) => Answer): Answer {
  return inChannel(world, channelId, (channel) => {
    const message = world.messages.get(channel.id)?.find((one) => one.id === id);
    return message === undefined ? no(404, 10008, "Unknown Message") : act(message);
  });
}

/** Newest first, as Discord gives them; nonces are not kept with messages. */
function list({ query }: Asked, world: World, id: string | undefined): Answer {
  return inChannel(world, id, (channel) => {
    const limit = Number(query.get("limit") ?? 50);
    if (!(limit >= 1 && limit <= 100)) return no(400, 50035, "Invalid Form Body");
    const [before, after] = [query.get("before"), query.get("after")];
    const all = (world.messages.get(channel.id) ?? []).filter(
      (one) =>
        (before === null || BigInt(one.id) < BigInt(before)) && (after === null || BigInt(one.id) > BigInt(after)),
    );
    return [200, (after === null ? all.slice(-limit) : all.slice(0, limit)).reverse()];
  });
}

function post({ body, files }: Asked, parts: RouteParts, channel: FakeChannel): Answer {
  const { world, gateway } = parts;
  const wrong = faultIn(body, files.length > 0);
  if (wrong !== undefined) return wrong;
  if (channel.thread_metadata?.archived === true) return no(400, 50083, "Thread is archived");
  const nonce = typeof body["nonce"] === "string" ? body["nonce"] : undefined;
  const known = body["enforce_nonce"] === true && nonce !== undefined ? world.byNonce(nonce) : undefined;
  if (known !== undefined) return [200, { ...known, nonce }];
  const attachments = files.map(({ name, type, bytes }) => world.keepFile(name, type, bytes, parts.baseUrl()));
  const message = world.post(channel.id, world.bot, {
    ...{ content: String(body["content"] ?? "").trim(), attachments },
    components: (body["components"] ?? []) as FakeRow[],
  });
  if (nonce !== undefined) world.keepNonce(nonce, message);
  if (channel.type === 11) channel.member = {};
  gateway.dispatch("MESSAGE_CREATE", { ...message, nonce, ...(channel.guild_id && { guild_id: channel.guild_id }) });
  return [200, { ...message, nonce }];
}

function edit(message: FakeMessage, body: Body): Answer {
  const wrong = faultIn(body, true);
  if (wrong !== undefined) return wrong;
  message.content = String(body["content"]);
  message.edited_timestamp = new Date().toISOString();
  // What is not mentioned stays.
  if (body["components"] !== undefined) message.components = body["components"] as FakeRow[];
  return [200, message];
}

function faultIn(body: Body, hasFiles: boolean): Answer | undefined {
  const content = body["content"] ?? "";
  const nonce = body["nonce"] ?? "";
  if (typeof content !== "string" || content.length > TEXT_MAX) return no(400, 50035, "Invalid Form Body: content");
  if (typeof nonce !== "string" || nonce.length > 25) return no(400, 50035, "Invalid Form Body: nonce");
  if (content.trim() === "" && !hasFiles) return no(400, 50006, "Cannot send an empty message");
  if (!isAllowed(body["components"])) return no(400, 50035, "Invalid Form Body: components");
  const mentions = body["allowed_mentions"] as { parse?: unknown[] } | undefined;
  return mentions?.parse?.length === 0 ? undefined : no(400, 50035, "this fake wants allowed_mentions to be empty");
}

function isAllowed(components: unknown): boolean {
  const rows = (components ?? []) as FakeRow[];
  const isButton = ({ label, custom_id }: { label: string; custom_id: string }): boolean =>
    label.length >= 1 && label.length <= 80 && custom_id.length >= 1 && custom_id.length <= 100;
  return rows.length <= 5 && rows.every((row) => row.components.length <= 5 && row.components.every(isButton));
}

function setArchived(channel: FakeChannel, body: Body): Answer {
  if (channel.thread_metadata === undefined) return no(400, 50024, "Cannot execute action on this channel type");
  if (channel.thread_metadata.locked) return no(403, 50013, "Missing Permissions");
  channel.thread_metadata.archived = body["archived"] === true;
  return [200, channel];
}

function openThread({ body }: Asked, { world, gateway }: RouteParts, ids: readonly string[]): Answer {
  return inMessage(world, ids, (message) => {
    if (world.channels.has(message.id)) return no(400, 160004, "A thread has already been created for this message");
    const thread = world.add({
      ...{
        id: message.id,
        type: 11,
        name: String(body["name"]),
        guild_id: world.guildId,
        parent_id: message.channel_id,
      },
      ...{ owner_id: world.bot.id, member: {}, thread_metadata: { archived: false, locked: false } },
    });
    gateway.dispatch("THREAD_CREATE", thread);
    return [201, thread];
  });
}

function setCommands(body: unknown): Answer {
  const commands = Object.values(body as object) as { name: string; description: string }[];
  const isRight = commands.every(({ name, description }) => /^[-_\p{L}\p{N}]{1,32}$/u.test(name) && description !== "");
  return isRight ? [200, commands] : no(400, 50035, "Invalid Form Body");
}

function callback({ body }: Asked, parts: RouteParts, token: string): Answer {
  if (!parts.pending.has(token)) return no(404, 10062, "Unknown interaction");
  const data = (body["data"] ?? {}) as { content?: string };
  return body["type"] === 5 ? NO_CONTENT : resolveInteraction(parts, token, data.content ?? "");
}

function resolveInteraction({ pending }: RouteParts, token: string, text: string): Answer {
  pending.get(token)?.(text);
  pending.delete(token);
  return NO_CONTENT;
}

interface File {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly body: Body; readonly files: readonly File[] }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/")) return { body: raw.length === 0 ? {} : JSON.parse(raw.toString()), files: [] };
  const form = await new Response(raw, { headers: { "content-type": type } }).formData();
  const files: File[] = [];
  for (const [, part] of form) {
    if (typeof part === "string") continue;
    files.push({ name: part.name, type: part.type, bytes: new Uint8Array(await part.arrayBuffer()) });
  }
  return { body: JSON.parse(String(form.get("payload_json") ?? "{}")), files };
}

export type { Fault };

/** The methods of the Web API, with what Slack checks in their arguments. */
import {
  BOT,
  type FakeAttachment,
  type FakeChannel,
  type FakeFile,
  type FakeMessage,
  TOKENS,
  type World,
} from "./world.js";

export type Args = Readonly<Record<string, string>>;
export type Result = Record<string, unknown>;

/** Slack's refusal of a call. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly more: Result = {},
  ) {
    super(code);
  }
}

export interface MethodContext {
  readonly world: World;
  readonly url: string;
  readonly ticketUrl: string;
  readonly scopes: readonly string[];
  onEphemeral(text: string): void;
}

type Method = (args: Args, context: MethodContext) => Result;

const TEXT_MAX = 40_000;
const UPDATE_TEXT_MAX = 4_000;

export const METHODS: Readonly<Record<string, Method>> = {
  "auth.test": () => ({ user_id: BOT.user, bot_id: BOT.bot, team_id: BOT.team, user: "talaria", team: "team" }),
  "apps.connections.open": (_args, { ticketUrl }) => ({ url: ticketUrl }),
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.postEphemeral": ({ text = "" }, { onEphemeral, world }) => {
    onEphemeral(text);
    return { message_ts: world.nextTs() };
  },
  "reactions.add": react,
  "conversations.history": history,
  "conversations.replies": replies,
  "conversations.info": (args, { world }) => ({ channel: { id: channelOf(args, world).id, name: "team" } }),
  "users.info": ({ user = "" }, { world }) => {
    const known = world.users.get(user);
    if (known === undefined) throw new ApiError("user_not_found");
    return { user: { id: known.id, name: known.name, profile: { display_name: known.name } } };
  },
  "files.getUploadURLExternal": ({ filename = "", length = "0" }, { world, url }) => {
    if (filename === "" || !(Number(length) > 0)) throw new ApiError("invalid_arguments");
    const file: FakeFile = { id: world.nextId("F"), name: filename, mimetype: "", bytes: Buffer.alloc(0) };
    world.files.set(file.id, file);
    return { upload_url: `${url}/upload/${file.id}?length=${length}`, file_id: file.id };
  },
  "files.completeUploadExternal": completeUpload,
};

/** The app-level token opens connections and nothing else. */
export function checkToken(method: string, authorization: string | undefined): void {
  const token = authorization?.replace(/^Bearer /, "");
  if (token === undefined || token === "") throw new ApiError("not_authed");
  const isApp = method === "apps.connections.open";
  if (token === (isApp ? TOKENS.app : TOKENS.bot)) return;
  throw new ApiError(token === TOKENS.bot || token === TOKENS.app ? "not_allowed_token_type" : "invalid_auth");
}

function postMessage(args: Args, { world }: MethodContext): Result {
  const channel = channelOf(args, world);
  if (channel.isArchived) throw new ApiError("is_archived");
  if (!channel.isMember) throw new ApiError("not_in_channel");
  const { text = "", thread_ts: thread } = args;
  const attachments = attachmentsOf(args);
  if (text.trim() === "" && attachments.length === 0) throw new ApiError("no_text");
  if (text.length > TEXT_MAX) throw new ApiError("msg_too_long");
  if (thread !== undefined && !/^\d{10}\.\d{6}$/.test(thread)) throw new ApiError("invalid_thread_ts");
  const metadata = metadataOf(args);
  const message = world.add({
    channel: channel.id,
    user: BOT.user,
    bot_id: BOT.bot,
    text,
    attachments,
    ...(thread === undefined ? {} : { thread_ts: thread }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  return { channel: channel.id, ts: message.ts, message: { text, ts: message.ts } };
}

function update(args: Args, { world }: MethodContext): Result {
  const channel = channelOf(args, world);
  const message = world.find(channel.id, args["ts"] ?? "");
  if (message === undefined) throw new ApiError("message_not_found");
  if (message.user !== BOT.user) throw new ApiError("cant_update_message");
  const { text = "" } = args;
  if (text.trim() === "") throw new ApiError("no_text");
  if (readable(text).length > UPDATE_TEXT_MAX) throw new ApiError("msg_too_long");
  message.text = text;
  // What is not mentioned stays.
  if (args["attachments"] !== undefined) message.attachments = attachmentsOf(args);
  const metadata = metadataOf(args);
  if (metadata !== undefined) message.metadata = metadata;
  return { channel: channel.id, ts: message.ts, text };
}

function react(args: Args, { world }: MethodContext): Result {
  const message = world.find(channelOf(args, world).id, args["timestamp"] ?? "");
  if (message === undefined) throw new ApiError("message_not_found");
  const { name = "" } = args;
  if (!/^[a-z0-9_+-]+$/.test(name)) throw new ApiError("invalid_name");
  if (message.reactions.has(name)) throw new ApiError("already_reacted");
  message.reactions.add(name);
  return {};
}

function history(args: Args, { world }: MethodContext): Result {
  const channel = channelOf(args, world);
  if (!channel.isMember) throw new ApiError("not_in_channel");
  const top = world
    .at(channel.id)
    .filter((one) => isWithin(one, args))
    .reverse();
  return page(top, args, (one) => entry(one, args, world));
}

function replies(args: Args, { world }: MethodContext): Result {
  const channel = channelOf(args, world);
  const root = world.find(channel.id, args["ts"] ?? "");
  if (root === undefined) throw new ApiError("thread_not_found");
  const inside = world.at(channel.id, root.ts).filter((one) => isWithin(one, args));
  return page([root, ...inside], args, (one) => entry(one, args, world));
}

function completeUpload(args: Args, { world }: MethodContext): Result {
  const asked = json<readonly { id: string; title?: string }[]>(args["files"], "invalid_arguments");
  const files = asked.map(({ id }) => world.files.get(id));
  if (files.some((file) => file === undefined || file.bytes.length === 0)) throw new ApiError("file_not_found");
  const channel = channelOf({ channel: args["channel_id"] ?? "" }, world);
  if (channel.isArchived) throw new ApiError("is_archived");
  world.add({
    channel: channel.id,
    user: BOT.user,
    bot_id: BOT.bot,
    subtype: "file_share",
    text: args["initial_comment"] ?? "",
    files: files as FakeFile[],
    ...(args["thread_ts"] === undefined ? {} : { thread_ts: args["thread_ts"] }),
  });
  return { files: asked };
}

/** A user's id stands for the direct chat with them. */
function channelOf({ channel = "" }: Args, world: World): FakeChannel {
  const found = world.channels.get(world.users.get(channel)?.dm ?? channel);
  if (found === undefined) throw new ApiError("channel_not_found");
  return found;
}

function isWithin({ ts }: FakeMessage, { oldest = "0", latest }: Args): boolean {
  return Number(ts) > Number(oldest) && (latest === undefined || Number(ts) < Number(latest));
}

function page(all: readonly FakeMessage[], args: Args, show: (one: FakeMessage) => Result): Result {
  const from = Number(args["cursor"] ?? "0");
  const limit = Math.min(Number(args["limit"] ?? "100"), 999);
  const to = from + limit;
  const hasMore = to < all.length;
  const next = hasMore ? { response_metadata: { next_cursor: String(to) } } : {};
  return { messages: all.slice(from, to).map(show), has_more: hasMore, ...next };
}

function entry(one: FakeMessage, args: Args, world: World): Result {
  const { reactions: _reactions, metadata, files, ...rest } = one;
  const answers = world.at(one.channel, one.ts);
  const latest = answers.at(-1)?.ts;
  const { channel: _channel, ...shown } = rest;
  return {
    type: "message",
    ...shown,
    ...(files === undefined ? {} : { files: files.map(({ id, name, mimetype }) => ({ id, name, mimetype })) }),
    ...(latest === undefined ? {} : { thread_ts: one.ts, reply_count: answers.length, latest_reply: latest }),
    ...(args["include_all_metadata"] === "true" && metadata !== undefined ? { metadata } : {}),
  };
}

function metadataOf(args: Args): FakeMessage["metadata"] {
  if (args["metadata"] === undefined) return undefined;
  const read = json<NonNullable<FakeMessage["metadata"]>>(args["metadata"], "invalid_metadata_format");
  if (typeof read.event_type !== "string" || typeof read.event_payload !== "object")
    throw new ApiError("invalid_metadata_schema");
  return read;
}

function attachmentsOf(args: Args): readonly FakeAttachment[] {
  if (args["attachments"] === undefined) return [];
  const read = json<readonly FakeAttachment[]>(args["attachments"], "invalid_attachments");
  for (const block of read.flatMap(({ blocks = [] }) => blocks)) {
    const { elements = [] } = block;
    const ids = new Set(elements.map(({ action_id }) => action_id));
    const isFit =
      block.type === "actions" && elements.length >= 1 && elements.length <= 25 && ids.size === elements.length;
    if (!isFit || !elements.every(isButton)) throw new ApiError("invalid_blocks");
  }
  return read;
}

function isButton({
  type,
  text,
  value = "",
}: {
  type: string;
  text: { type: string; text: string };
  value?: string;
}): boolean {
  const label = text?.text ?? "";
  return (
    type === "button" && text.type === "plain_text" && label.length >= 1 && label.length <= 75 && value.length <= 2_000
  );
}

function json<T>(text: string | undefined, code: string): T {
  try {
    return JSON.parse(text ?? "") as T;
  } catch {
    throw new ApiError(code);
  }
}

/** As people see it: entities and links resolved. */
export function readable(text: string): string {
  return text
    .replace(/<([^<>|]*)\|([^<>]*)>/g, "$2")
    .replace(/<([^<>|]*)>/g, "$1")
    .replaceAll("\u200b", "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

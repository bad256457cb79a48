/**
 * A Discord on loopback: the REST API and the gateway, with one server, a channel, a thread and two people. It keeps
 * messages, enforces nonces, resumes sessions, and fails as it is told to.
 *
 *   const discord = await startFakeDiscord();
 *   await discord.say({ text: "hello" });
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PeerChat, PeerWords, Shown } from "../../../../src/platform/contract/scene.js";
import { type Fault, Faults } from "./faults.js";
import { FakeGateway } from "./gateway.js";
import { answerRest, type RouteParts, type Seen } from "./routes.js";
import { type FakeMessage, type FakeUser, World } from "./world.js";

export const FAKE_TOKEN = "fake.discord.token";
const TEXT_MAX = 2000;

export interface SayOptions extends PeerWords {
  /** Answers the newest message of the bot in this chat. */
  readonly isReply?: boolean;
  /** Names the role that Discord made for the bot. */
  readonly isRoleMention?: boolean;
  /** Instead of one of the people. */
  readonly as?: "bot" | "other-bot" | "webhook";
  /** Discord keeps it and tells nobody, as when no session was there to be told. */
  readonly isUntold?: boolean;
}

export interface FakeDiscord {
  readonly url: string;
  readonly apiRoot: string;
  readonly world: World;
  readonly gateway: FakeGateway;
  readonly seen: readonly Seen[];
  channelId(chat: PeerChat, who?: "alice" | "bob"): string;
  say(words: SayOptions): Promise<FakeMessage>;
  shown(chat: PeerChat | string): readonly Shown[];
  /** Answers what whoever pressed is shown. */
  press(chat: PeerChat, label: string): Promise<string>;
  /** Somebody uses a slash command; answers what they are shown. */
  command(chat: PeerChat, name: string, args?: string): Promise<string>;
  fail(fault: Fault, times?: number): void;
  failReading(fault: Fault, times?: number): void;
  stop(): Promise<void>;
}

export interface FakeOptions {
  /** 0: any free port. */
  readonly port?: number;
  /** Answers below `/__control`, for tests in another process. */
  readonly control?: (request: IncomingMessage, response: ServerResponse, fake: FakeDiscord) => Promise<void>;
}

export async function startFakeDiscord(options: FakeOptions = {}): Promise<FakeDiscord> {
  const world = new World();
  const [faults, readFaults] = [new Faults(), new Faults()];
  const seen: Seen[] = [];
  const pending: RouteParts["pending"] = new Map();
  let url = "";
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => giveUp(response, error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url?.startsWith("/files/")) giveFile(request, response, world);
    else if (request.url?.startsWith("/__control/") && options.control) await options.control(request, response, fake);
    else await answerRest(request, response, parts);
  };
  const gateway = new FakeGateway(world, FAKE_TOKEN, server);
  const parts: RouteParts = {
    world,
    gateway,
    faults,
    readFaults,
    token: FAKE_TOKEN,
    baseUrl: () => url,
    pending,
    seen,
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway.setUrl(url.replace(/^http/, "ws"));
  const channelId = (chat: PeerChat, who: "alice" | "bob" = "alice"): string => CHANNELS[chat === "dm" ? who : chat];
  const interact = (chat: PeerChat, type: number, data: object, message?: FakeMessage): Promise<string> =>
    new Promise((resolve) => {
      const token = `interaction-token-${world.newId()}`;
      pending.set(token, resolve);
      const channel = world.channels.get(channelId(chat));
      const who = chat === "dm" ? { user: world.people.alice } : { member: { user: world.people.alice } };
      gateway.dispatch("INTERACTION_CREATE", {
        ...{ id: world.newId(), application_id: world.applicationId, type, token, data, ...who, message },
        ...{ channel_id: channel?.id, channel, guild_id: channel?.guild_id },
      });
    });
  const fake: FakeDiscord = {
    ...{ url, apiRoot: `${url}/api`, world, gateway, seen, channelId },
    say: async (words) => say(words, channelId(words.chat ?? "dm", words.who), { world, gateway, url }),
    shown: (chat) =>
      (world.messages.get(Object.hasOwn(CHANNELS, chat) || chat === "dm" ? channelId(chat as PeerChat) : chat) ?? [])
        .filter((message) => message.author.id === world.bot.id)
        .map(toShown),
    press: (chat, label) => {
      const message = world.messages.get(channelId(chat))?.findLast((one) => one.components.length > 0);
      const button = message?.components.flatMap((row) => row.components).find((one) => one.label === label);
      if (button === undefined) throw new Error(`no button ${label} in ${chat}`);
      return interact(chat, 3, { custom_id: button.custom_id, component_type: 2 }, message);
    },
    command: (chat, name, args) =>
      interact(chat, 2, { name, options: args === undefined ? [] : [{ name: "args", type: 3, value: args }] }),
    fail: (fault, times = 1) => faults.add(fault, times),
    failReading: (fault, times = 1) => readFaults.add(fault, times),
    stop: () =>
      new Promise((resolve) => {
        gateway.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

const CHANNELS: Readonly<Record<"alice" | "bob" | "group" | "thread", string>> = {
  alice: "200000000000000001",
  bob: "200000000000000002",
  group: "200000000000000003",
  thread: "200000000000000004",
};

interface Place {
  readonly world: World;
  readonly gateway: FakeGateway;
  readonly url: string;
}

function say(words: SayOptions, channelId: string, { world, gateway, url }: Place): FakeMessage {
  const mention = words.isMention ? `<@${world.bot.id}> ` : words.isRoleMention ? `<@&${world.botRoleId}> ` : "";
  const content = `${mention}${words.text}`.slice(0, TEXT_MAX).trim();
  if (content === "" && words.media === undefined) throw new Error("Discord takes no empty message");
  const answered = words.isReply ? lastOfBot(world, channelId) : undefined;
  const { media } = words;
  const message = world.post(channelId, authorOf(words, world), {
    content,
    mentions: words.isMention ? [world.bot] : [],
    mention_roles: words.isRoleMention ? [world.botRoleId] : [],
    attachments: media === undefined ? [] : [world.keepFile(media.name, media.mediaType, media.bytes, url)],
    ...(words.as === "webhook" ? { webhook_id: "500000000000000001" } : {}),
    ...(answered === undefined ? {} : { type: 19, referenced_message: answered }),
  });
  const guild_id = world.channels.get(channelId)?.guild_id;
  if (words.isUntold !== true) gateway.dispatch("MESSAGE_CREATE", { ...message, ...(guild_id && { guild_id }) });
  return message;
}

function lastOfBot(world: World, channelId: string): FakeMessage | undefined {
  return world.messages.get(channelId)?.findLast((one) => one.author.id === world.bot.id);
}

function authorOf({ as, who = "alice" }: SayOptions, world: World): FakeUser {
  if (as === "bot") return world.bot;
  return as === "other-bot" ? world.otherBot : world.people[who];
}

function toShown(message: FakeMessage): Shown {
  const buttons = message.components.flatMap((row) => row.components.map((one) => one.label));
  const [file] = message.attachments as { filename: string; size: number }[];
  return {
    text: message.content,
    ...(buttons.length === 0 ? {} : { buttons }),
    ...(file === undefined ? {} : { media: { name: file.filename, bytes: file.size } }),
  };
}

function giveFile(request: IncomingMessage, response: ServerResponse, world: World): void {
  const file = world.files.get(request.url?.split("/")[2] ?? "");
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": file.mediaType }).end(file.bytes);
}

/** A mistake of the fake must not look like one of Discord. */
function giveUp(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else
    response.writeHead(418, { "content-type": "text/plain" }).end(String(error instanceof Error ? error.stack : error));
}

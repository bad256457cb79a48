/**
 * From what Slack tells us to the receiver, the same for the socket, for HTTP and for what is read back from history.
 * Whoever calls acknowledges when the promise has resolved, and not before [CT-1].
 */

import { heardText } from "../format-heard.js";
import type { Incoming, PlatformParts, Sender } from "../platform.js";
import type { Directory } from "./directory.js";
import {
  bangCommand,
  chatOf,
  commandText,
  eventIdOf,
  isDirect,
  readTold,
  type SlackCommand,
  type SlackMessage,
  type SlackPress,
} from "./event.js";
import { SlackFault } from "./fault.js";
import { InOrder } from "./in-order.js";
import { mediaOf } from "./media.js";
import { toMrkdwn } from "./mrkdwn.js";
import { fromMrkdwn, mentions } from "./text.js";
import type { SlackWeb } from "./web.js";

/** Who we are there, as `auth.test` says. */
export interface Self {
  readonly userId: string;
  readonly teamId: string;
}

export interface IntakeParts {
  readonly parts: PlatformParts;
  readonly web: SlackWeb;
  readonly directory: Directory;
  readonly replyInThread: boolean;
  readonly fileBytesMax: number;
}

/** What is still to be done when the acknowledgement is out. */
export type Afterwards = (signal: AbortSignal) => Promise<void>;

export class Intake {
  readonly #with: IntakeParts;
  readonly #order = new InOrder();
  /** Channels whose past is being read back: until that is through, only it moves the cursor on. */
  readonly behind = new Set<string>();

  constructor(intakeParts: IntakeParts) {
    this.#with = intakeParts;
  }

  /** Resolves when the event is kept or is nothing to us; rejects when it must come again. */
  async take(body: unknown, self: Self, signal: AbortSignal): Promise<Afterwards | undefined> {
    const told = readTold(body);
    switch (told.kind) {
      case "message":
        return this.#message(told.message, { self, signal, eventId: told.eventId, isLive: true });
      case "command":
        return this.#command(told.command, self);
      case "press":
        return this.#press(told.press);
      case "other":
        return undefined;
    }
  }

  /** A message from history. */
  async takeEntry(said: SlackMessage, self: Self, signal: AbortSignal): Promise<void> {
    await this.#message(said, { self, signal, eventId: undefined, isLive: false });
  }

  async idle(): Promise<void> {
    await this.#order.idle();
  }

  async #message(said: SlackMessage, from: MessageSource): Promise<undefined> {
    const eventId = eventIdOf(from.self.teamId, said, from.eventId);
    if (eventId === undefined || said.user === undefined) return undefined;
    const userId = said.user;
    await this.#order.run(said.channel, async () => {
      const { parts } = this.#with;
      await parts.receiver.message(await this.#incoming(said, { ...from, eventId, userId }));
    });
    return undefined;
  }

  async #incoming(said: SlackMessage, from: MessageSource & { eventId: string; userId: string }): Promise<Incoming> {
    const { web, directory, replyInThread, fileBytesMax } = this.#with;
    const { self, signal, userId } = from;
    const asked = [directory.findName(userId, signal), this.#isAddressed(said, self, signal)] as const;
    const [name, isAddressed] = await Promise.all(asked);
    const text = fromMrkdwn(said.text ?? "", { selfId: self.userId, nameOf: (id) => directory.nameOf(id) });
    const media = mediaOf(said.files ?? [], web, fileBytesMax);
    const quoted = said.attachments?.find(({ is_msg_unfurl }) => is_msg_unfurl === true)?.text;
    const { ts } = said;
    const thread = threadOf(said);
    const hasCursor = ts !== undefined && (!from.isLive || !this.behind.has(said.channel));
    return {
      eventId: from.eventId,
      chat: chatOf(said.channel, { ...(thread && { thread }), ...(ts && { ts }) }, replyInThread),
      sender: { id: userId, ...(name === undefined ? {} : { name }) },
      text: isAddressed ? bangCommand(text) : text,
      isAddressed,
      ...(ts === undefined ? {} : { messageId: ts }),
      ...(quoted ? { quoted } : {}),
      ...(media.length === 0 ? {} : { media }),
      ...(hasCursor ? { cursor: { name: cursorName(said.channel, thread), value: ts } } : {}),
    };
  }

  async #isAddressed(said: SlackMessage, self: Self, signal: AbortSignal): Promise<boolean> {
    const { directory } = this.#with;
    const { channel } = said;
    const thread = threadOf(said);
    if (isDirect(channel)) return true;
    if (said.type === "app_mention" || mentions(said.text ?? "", self.userId)) {
      const root = thread ?? said.ts;
      if (root !== undefined) directory.join(channel, root);
      return true;
    }
    if (thread === undefined) return false;
    if (said.parent_user_id === self.userId) return true;
    return directory.isOurs({ channel, thread, selfId: self.userId }, signal);
  }

  async #command(typed: SlackCommand, self: Self): Promise<undefined> {
    const { channel_id: channel, user_id: id, user_name: name } = typed;
    const incoming: Incoming = {
      eventId: `${self.teamId}/command:${typed.trigger_id}`,
      chat: chatOf(channel, {}, this.#with.replyInThread),
      sender: { id, ...(name === undefined ? {} : { name }) },
      text: heardText(commandText(typed)),
      isAddressed: true,
    };
    await this.#order.run(channel, () => this.#with.parts.receiver.message(incoming));
    return undefined;
  }

  async #press(press: SlackPress): Promise<Afterwards | undefined> {
    const { parts, replyInThread } = this.#with;
    const token = press.actions[0]?.value;
    if (token === undefined) return undefined;
    const thread = press.container?.thread_ts ?? press.message?.thread_ts;
    const chat = chatOf(press.channel.id, { ...(thread && { thread }) }, replyInThread);
    const words = await parts.receiver.press({ token, chat, sender: presser(press) });
    if (words === "") return undefined;
    return (signal) => this.#show(press, { words, thread }, signal);
  }

  /** To whoever pressed it and nobody else. It is a courtesy: what was decided is kept already. */
  async #show(press: SlackPress, { words, thread }: Notice, signal: AbortSignal): Promise<void> {
    const { web, parts } = this.#with;
    const { response_url: url, channel, user } = press;
    const text = toMrkdwn(words);
    const place = thread === undefined ? {} : { thread_ts: thread };
    try {
      if (url !== undefined && web.isTrusted(url)) {
        const answer = { response_type: "ephemeral", replace_original: false, text, ...place };
        await web.post(url, JSON.stringify(answer), signal, "application/json");
      } else await web.call("chat.postEphemeral", { channel: channel.id, user: user.id, text, ...place }, signal);
    } catch (error) {
      if (!(error instanceof SlackFault)) throw error;
      parts.log.debug("slack: whoever pressed a button was not told", { why: error.message });
    }
  }
}

interface MessageSource {
  readonly self: Self;
  readonly signal: AbortSignal;
  readonly eventId: string | undefined;
  readonly isLive: boolean;
}

interface Notice {
  readonly words: string;
  readonly thread: string | undefined;
}

/** Threads are read back one by one, so each has its own cursor. */
export function cursorName(channel: string, thread: string | undefined): string {
  return thread === undefined ? channel : `${channel}/${thread}`;
}

/** Slack repeats `ts` as `thread_ts` in the message a thread hangs on; that one is not in the thread. */
function threadOf({ thread_ts, ts }: SlackMessage): string | undefined {
  return thread_ts === ts ? undefined : thread_ts;
}

function presser({ user }: SlackPress): Sender {
  const name = user.name ?? user.username;
  return { id: user.id, ...(name === undefined ? {} : { name }) };
}

/**
 * The console at work. A message said over the socket is told `kept` after the receiver has kept it [CT-1]; one of ours is
 * sent when a client says that it showed it, and its outcome is unknown when the client goes away before that [CT-4].
 */
import type { Socket } from "node:net";
import { randomIds } from "#base/ids.js";
import { heardText, withoutName } from "../format-heard.js";
import type { Chat, Incoming, Outgoing, Place, Platform, PlatformParts, SendOutcome } from "../platform.js";
import { Client } from "./client.js";
import { listen } from "./listen.js";
import type { FromClient, Pressed, Said, ToClient } from "./wire.js";

export interface ConsoleWish {
  readonly socket: string;
  readonly name: string;
}

/** Nobody is there to see it: how long to wait for somebody. */
const NOBODY_RETRY_MS = 2_000;
/** The chat and the sender of words that come without any. */
const KEYBOARD = "console";

export function openConsole(wish: ConsoleWish, parts: PlatformParts): Platform {
  return new ConsoleAccount(wish, parts);
}

type Shown = Extract<ToClient, { readonly type: "message" | "edit" }>;

interface Waiting {
  readonly clients: Set<Client>;
  settle(outcome: SendOutcome): void;
}

class ConsoleAccount implements Platform {
  readonly #wish: ConsoleWish;
  readonly #parts: PlatformParts;
  readonly #clients = new Set<Client>();
  /** By the id of what is being shown. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(wish: ConsoleWish, parts: PlatformParts) {
    this.#wish = wish;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { receiver } = this.#parts;
    const listening = await listen(this.#wish.socket, (socket) => this.#greet(socket));
    receiver.up();
    try {
      await listening.untilAborted(signal);
    } finally {
      for (const client of this.#clients) client.end();
      await listening.close();
    }
  }

  send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const buttons = outgoing.buttons?.map(({ label, token }) => ({ label, token }));
    const message: Shown = {
      type: "message",
      id: outgoing.id,
      ...whereTo(outgoing.place),
      text: outgoing.text.toWellFormed(),
      ...(buttons === undefined ? {} : { buttons }),
    };
    return this.#show(message, outgoing.id, signal);
  }

  edit(place: Place, receipt: string, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const id = `${receipt}/${randomIds()}`;
    const edit: Shown = { type: "edit", id, receipt, ...whereTo(place), text: outgoing.text.toWellFormed() };
    return this.#show(edit, receipt, signal);
  }

  async typing(place: Place): Promise<void> {
    for (const client of this.#clients) {
      if (client.shows(place.chat.id)) client.tell({ type: "typing", ...whereTo(place) });
    }
  }

  #greet(socket: Socket): void {
    const connection = randomIds();
    let count = 0;
    const client = new Client(socket, {
      line: (from, line) => this.#take(from, line),
      words: (from, text) =>
        this.#hear(from, { type: "say", id: `${connection}-${count++}`, chat: KEYBOARD, who: KEYBOARD, text }),
      gone: (from) => this.#lose(from),
    });
    this.#clients.add(client);
  }

  async #take(client: Client, line: FromClient): Promise<void> {
    switch (line.type) {
      case "hello":
        client.chat = line.chat;
        return;
      case "shown":
        return this.#waiting.get(line.id)?.settle({ kind: "sent", receipt: line.id });
      case "gone":
        return this.#waiting.get(line.id)?.settle({ kind: "refused", why: line.why });
      case "press":
        return this.#press(client, line);
      case "say":
        return this.#hear(client, line);
    }
  }

  async #hear(client: Client, said: Said): Promise<void> {
    const incoming = incomingOf(said, this.#wish.name);
    if (incoming.text.trim() === "") return client.tell({ type: "refused", id: said.id, why: "nothing is said" });
    try {
      await this.#parts.receiver.message(incoming);
      client.tell({ type: "kept", id: said.id });
    } catch (error) {
      client.tell({ type: "not-kept", id: said.id, why: reason(error) });
    }
  }

  async #press(client: Client, { chat, thread, who, token }: Pressed): Promise<void> {
    try {
      const text = await this.#parts.receiver.press({ token, chat: chatOf(chat, thread), sender: { id: who } });
      client.tell({ type: "answer", token, text });
    } catch (error) {
      client.tell({ type: "answer", token, text: `That did not work: ${reason(error)}` });
    }
  }

  /** Tells everybody who shows that chat, and waits until the first of them has shown it. */
  #show(line: Shown, receipt: string, signal: AbortSignal): Promise<SendOutcome> {
    const { id, chat } = line;
    const clients = new Set([...this.#clients].filter((client) => client.shows(chat)));
    const nobody: SendOutcome = { kind: "retry", afterMs: NOBODY_RETRY_MS, why: "nobody is at the console" };
    if (clients.size === 0 || signal.aborted) return Promise.resolve(nobody);
    return new Promise((resolve) => {
      const late = (): void => settle({ kind: "unknown", why: "nobody said in time that it was shown" });
      const settle = (outcome: SendOutcome): void => {
        signal.removeEventListener("abort", late);
        if (this.#waiting.get(id)?.settle === settle) this.#waiting.delete(id);
        resolve(outcome.kind === "sent" ? { kind: "sent", receipt } : outcome);
      };
      signal.addEventListener("abort", late, { once: true });
      this.#waiting.set(id, { clients, settle });
      for (const client of clients) {
        // A person at a bare socket says nothing of receipts: what the kernel took for them is on their screen.
        const isBare = client.speech === "words";
        client.tell(line, isBare ? () => settle({ kind: "sent", receipt }) : undefined);
      }
    });
  }

  #lose(client: Client): void {
    this.#clients.delete(client);
    for (const { clients, settle } of [...this.#waiting.values()]) {
      if (clients.delete(client) && clients.size === 0) {
        settle({ kind: "unknown", why: "whoever was to show it went away" });
      }
    }
  }
}

function incomingOf(said: Said, ourName: string): Incoming {
  const chat = chatOf(said.chat, said.thread);
  const text = heardText(said.text);
  const named = withoutName(text, ourName);
  const isGroup = said.chat.startsWith("#");
  return {
    eventId: JSON.stringify([said.chat, said.who, said.id]),
    chat,
    sender: { id: said.who, ...(said.name === undefined ? {} : { name: said.name }) },
    text: isGroup ? named.text : text,
    isAddressed: !isGroup || named.isNamed,
    messageId: said.id,
  };
}

function chatOf(id: string, thread: string | undefined): Chat {
  if (thread !== undefined) return { type: "thread", id, threadId: thread };
  return { type: id.startsWith("#") ? "group" : "dm", id };
}

function whereTo({ chat }: Place): { chat: string; thread?: string } {
  return { chat: chat.id, ...(chat.threadId === undefined ? {} : { thread: chat.threadId }) };
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

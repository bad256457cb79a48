/** People at the console, over a real socket: they say things under ids, show what they get and tell so, or fail to. */
import { mkdtemp } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { LineSplitter } from "#base/line-splitter.js";
import { console as consoleKind } from "#platform/console/kind.js";
import type { ToClient } from "#platform/console/wire.js";
import { eventually } from "#platform/contract/platform.contract.js";
import type { Peer, PeerChat, PeerFault, PeerWords, PlatformScene, Shown } from "#platform/contract/scene.js";
import type { PlatformKind } from "#platform/platform.js";
import { removeFolder } from "../../support/remove-folder.js";

const RECONNECT_MS = 15;
/** After a cut that the other side must notice first. */
const SULK_MS = 300;
const TRICKLE_MS = 200;

const WHERE: Readonly<Record<PeerChat, { readonly chat: string; readonly thread?: string }>> = {
  dm: { chat: "alice" },
  group: { chat: "#kitchen" },
  thread: { chat: "#kitchen", thread: "dinner" },
};

export async function consoleScene(): Promise<PlatformScene> {
  const folder = await mkdtemp(join(tmpdir(), "tc-"));
  const socket = join(folder, "c.sock");
  return {
    kind: consoleKind as PlatformKind,
    settings: { socket, name: "talaria" },
    peer: new ConsolePeer(socket),
    chats: ["dm", "group", "thread"],
    place: (chat) => ({
      chat:
        chat === "thread"
          ? { type: "thread", id: "#kitchen", threadId: "dinner" }
          : { type: chat, id: WHERE[chat].chat },
    }),
    lacks: {
      "rate-limited": "a client never asks for patience",
      "server-error": "a client shows a message, goes away, or says that there is no such chat",
      "markup-refused": "it has no markup",
    },
    close: async () => removeFolder(folder),
  };
}

interface ShownMessage extends Shown {
  readonly tokens: readonly string[];
  text: string;
}

export class ConsolePeer implements Peer {
  readonly #path: string;
  readonly #said: { readonly id: string; readonly line: string }[] = [];
  readonly #kept = new Set<string>();
  readonly #shown = new Map<string, Map<string, ShownMessage>>();
  readonly #answers = new Map<string, string>();
  readonly #faults: PeerFault[] = [];
  #socket: Socket | undefined;
  #refusals = 0;
  #isStopped = false;
  #looping: Promise<void>;

  constructor(path: string) {
    this.#path = path;
    this.#looping = this.#keepConnected();
  }

  /** Lines are taken in their order: a nonsense one that is answered tells that the greeting before it was heard. */
  async ready(): Promise<void> {
    await eventually("the client is connected", () => this.#socket !== undefined);
    const before = this.#refusals;
    this.#write("{}");
    await eventually("the client is heard", () => this.#refusals > before);
  }

  async say({ text, chat = "dm", who = "alice", isMention = false }: PeerWords): Promise<void> {
    const id = `said-${this.#said.length}`;
    const where = chat === "dm" ? { chat: who } : WHERE[chat];
    const line = JSON.stringify({ id, who, ...where, text: isMention ? `@talaria ${text}` : text });
    this.#said.push({ id, line });
    this.#write(line);
  }

  async redeliver(): Promise<void> {
    for (const { line } of this.#said) this.#write(line);
  }

  async acknowledged(): Promise<number> {
    return this.#kept.size;
  }

  async shown(chat: PeerChat): Promise<readonly Shown[]> {
    const messages = [...(this.#shown.get(keyOf(WHERE[chat]))?.values() ?? [])];
    return messages.map(({ text, buttons }) => ({ text, ...(buttons === undefined ? {} : { buttons }) }));
  }

  async press(chat: PeerChat, label: string): Promise<string> {
    const message = [...(this.#shown.get(keyOf(WHERE[chat]))?.values() ?? [])].at(-1);
    const token = message?.tokens[message.buttons?.indexOf(label) ?? -1] ?? "";
    this.#write(JSON.stringify({ type: "press", who: "alice", ...WHERE[chat], token }));
    return eventually("it is answered", () => this.#answers.get(token));
  }

  fail(fault: PeerFault, times = 1): void {
    if (fault.kind === "cut-before") this.#cut();
    else for (let at = 0; at < times; at++) this.#faults.push(fault);
  }

  async cutLine(): Promise<void> {
    this.#cut();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cut();
    await this.#looping;
  }

  #cut(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  /** Comes again whenever the line is gone, and says again what was not kept. */
  async #keepConnected(): Promise<void> {
    while (!this.#isStopped) {
      const socket = connect(this.#path);
      const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
      socket.on("error", () => undefined);
      socket.once("connect", () => {
        if (this.#isStopped) return socket.destroy();
        this.#socket = socket;
        this.#write(JSON.stringify({ type: "hello" }));
        for (const { id, line } of this.#said) if (!this.#kept.has(id)) this.#write(line);
      });
      const lines = new LineSplitter(1_000_000);
      socket.on("data", (chunk: Buffer) => {
        const found = lines.push(chunk);
        if (found !== "too-long") for (const line of found) this.#take(JSON.parse(line));
      });
      await closed;
      const wasConnected = this.#socket === socket || socket.bytesRead > 0;
      if (this.#socket === socket) this.#socket = undefined;
      await systemClock.sleep(wasConnected && !this.#isStopped ? SULK_MS : RECONNECT_MS);
    }
  }

  #write(line: string): void {
    this.#socket?.write(`${line}\n`);
  }

  #take(line: ToClient): void {
    switch (line.type) {
      case "kept":
        this.#kept.add(line.id);
        return;
      case "answer":
        this.#answers.set(line.token, line.text);
        return;
      case "refused":
        this.#refusals++;
        return;
      case "message":
      case "edit":
        this.#show(line);
        return;
      default:
        return;
    }
  }

  #show(line: Extract<ToClient, { type: "message" | "edit" }>): void {
    const fault = this.#faults.shift();
    if (fault?.kind === "gone") {
      this.#write(JSON.stringify({ type: "gone", id: line.id }));
      return;
    }
    const chat = keyOf(line);
    const messages = this.#shown.get(chat) ?? new Map<string, ShownMessage>();
    this.#shown.set(chat, messages);
    if (line.type === "edit") {
      const message = messages.get(line.receipt);
      if (message !== undefined) messages.set(line.receipt, { text: line.text, tokens: [] });
    } else {
      const { text, buttons = [] } = line;
      const labels = buttons.length === 0 ? {} : { buttons: buttons.map(({ label }) => label) };
      messages.set(line.id, { text, tokens: buttons.map(({ token }) => token), ...labels });
    }
    this.#confirm(line.id, fault?.kind);
  }

  #confirm(id: string, fault: PeerFault["kind"] | undefined): void {
    const line = JSON.stringify({ type: "shown", id });
    if (fault === undefined) this.#write(line);
    else if (fault === "cut-after") this.#cut();
    else if (fault === "slow") void this.#trickle(line);
  }

  /** On a line of its own, so that what else is said does not get in between. */
  async #trickle(line: string): Promise<void> {
    const socket = connect(this.#path);
    socket.on("error", () => undefined);
    for (const character of `${line}\n`) {
      if (this.#isStopped) break;
      socket.write(character);
      await systemClock.sleep(TRICKLE_MS);
    }
    socket.destroy();
  }
}

function keyOf({ chat, thread = "" }: { readonly chat: string; readonly thread?: string }): string {
  return `${chat}/${thread}`;
}

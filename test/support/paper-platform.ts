/**
 * A platform on paper: what it is told it writes down, and how a send fares is what the test says. It keeps to the port
 * like any adapter, so that what is tested is the gateway around it.
 */
import { z } from "zod";
import type { Account } from "#gateway/gateway.js";
import type {
  Chat,
  FoundSent,
  Incoming,
  Limits,
  MenuEntry,
  Outgoing,
  Platform,
  PlatformKind,
  Receiver,
  SendOutcome,
} from "#platform/platform.js";
import { NO_RESET } from "#session/reset-policy.js";

export const PAPER_LIMITS: Limits = {
  text: 400,
  unit: "utf16",
  chatEveryMs: 1_000,
  perSecond: 50,
  editEveryMs: 1_000,
  mediaIn: 1_000,
  mediaOut: 1_000,
  hasLines: true,
};

export interface Written {
  readonly receipt: string;
  readonly chat: string;
  text: string;
  /** As edited last. */
  buttons: readonly string[];
  readonly outgoing: Outgoing;
}

export class PaperPlatform {
  readonly sheet: Written[] = [];
  readonly attempts: Outgoing[] = [];
  readonly menus: (readonly MenuEntry[])[] = [];
  /** How the next sends fare, in order; then all succeed. `lost`: it arrives and nobody hears of it. */
  readonly fates: (SendOutcome | "lost" | (() => Promise<SendOutcome>))[] = [];
  /** How the next edits fare; then all succeed. */
  readonly editFates: SendOutcome[] = [];
  receiver: Receiver | undefined;
  found: ((outgoing: Outgoing) => FoundSent) | undefined;
  /** How the next openings fare: an error, or undefined. */
  readonly openings: (Error | undefined)[] = [];
  opened = 0;
  typed = 0;
  #drop: ((error: Error) => void) | undefined;
  #events = 0;

  kind(more: Partial<PlatformKind> = {}): PlatformKind {
    return {
      name: "paper",
      title: "Paper",
      settings: z.unknown(),
      secrets: [],
      limits: PAPER_LIMITS,
      open: async (_settings, { receiver }) => {
        this.opened++;
        const failure = this.openings.shift();
        if (failure !== undefined) throw failure;
        this.receiver = receiver;
        return this.#platform(receiver);
      },
      ...more,
    };
  }

  /** Somebody writes. */
  async hear(text: string, more: Partial<Incoming> & { readonly chatId?: string } = {}): Promise<void> {
    const { chatId = "1", ...rest } = more;
    const chat: Chat = { type: "dm", id: chatId };
    if (this.receiver === undefined) throw new Error("nobody listens");
    await this.receiver.message({
      eventId: `event-${++this.#events}`,
      chat,
      sender: { id: "42", name: "Ada" },
      text,
      isAddressed: true,
      ...rest,
    });
  }

  shown(chat = "1"): string[] {
    return this.sheet.filter((one) => one.chat === chat).map(({ text }) => text);
  }

  /** The line is lost. */
  drop(error: Error): void {
    this.#drop?.(error);
  }

  #platform(receiver: Receiver): Platform {
    return {
      run: (signal) =>
        new Promise((resolve, reject) => {
          this.#drop = reject;
          signal.addEventListener("abort", () => resolve(), { once: true });
          receiver.up();
        }),
      send: async (outgoing) => this.#send(outgoing),
      edit: async (_place, receipt, outgoing) => {
        const fate = this.editFates.shift();
        if (fate !== undefined) return fate;
        const known = this.sheet.find((one) => one.receipt === receipt);
        if (known === undefined) return { kind: "refused", why: "it is gone" };
        known.text = outgoing.text;
        known.buttons = labels(outgoing);
        return { kind: "sent", receipt };
      },
      ...(this.found === undefined
        ? {}
        : { findSent: async (outgoing: Outgoing) => this.found?.(outgoing) as FoundSent }),
      typing: async () => void this.typed++,
      setMenu: async (entries) => void this.menus.push(entries),
    };
  }

  async #send(outgoing: Outgoing): Promise<SendOutcome> {
    this.attempts.push(outgoing);
    const fate = this.fates.shift();
    if (typeof fate === "function") return fate();
    if (fate !== undefined && fate !== "lost") return fate;
    const receipt = `r${this.sheet.length + 1}`;
    this.sheet.push({
      receipt,
      chat: outgoing.place.chat.id,
      text: outgoing.text,
      buttons: labels(outgoing),
      outgoing,
    });
    return fate === "lost" ? { kind: "unknown", why: "no answer came" } : { kind: "sent", receipt };
  }
}

function labels({ buttons = [] }: Outgoing): readonly string[] {
  return buttons.map(({ label }) => label);
}

/** An account on paper to which everybody may write. */
export function paperAccount(kind: PlatformKind, more: Partial<Account> = {}): Account {
  return {
    kind,
    name: "main",
    settings: {},
    allow: ["*"],
    owners: [],
    pairing: false,
    busy: "queue",
    needsMention: true,
    streams: true,
    chats: {},
    resetPolicy: () => NO_RESET,
    ...more,
  };
}

/** For a line that only sends. */
export const NO_RECEIVER = {
  message: async () => undefined,
  press: async () => "",
  up: () => undefined,
  down: () => undefined,
};

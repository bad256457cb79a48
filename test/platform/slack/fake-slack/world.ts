/**
 * A Slack workspace in memory: people, channels, messages, files. It knows no wire; `api.ts` and `lines.ts` speak for
 * it. Timestamps are unique and rise, as Slack's do.
 */
export const BOT = { user: "U0TALARIA", bot: "B0TALARIA", team: "T0TEAM", app: "A0TALARIA" } as const;
export const TOKENS = {
  bot: "xoxb-fake-bot-token",
  app: "xapp-fake-app-token",
  signing: "fake-signing-secret",
} as const;

export interface FakeUser {
  readonly id: string;
  readonly name: string;
  readonly dm: string;
}

export interface FakeFile {
  readonly id: string;
  name: string;
  mimetype: string;
  bytes: Buffer;
}

export interface FakeMessage {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  text: string;
  readonly thread_ts?: string;
  readonly bot_id?: string;
  readonly subtype?: string;
  readonly client_msg_id?: string;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  attachments?: readonly FakeAttachment[];
  readonly files?: readonly FakeFile[];
  readonly reactions: Set<string>;
}

export interface FakeAttachment {
  readonly blocks?: readonly { readonly type: string; readonly elements?: readonly FakeButton[] }[];
}

export interface FakeButton {
  readonly type: string;
  readonly action_id: string;
  readonly value?: string;
  readonly text: { readonly type: string; readonly text: string };
}

export interface FakeChannel {
  readonly id: string;
  isArchived: boolean;
  isMember: boolean;
}

export class World {
  readonly users = new Map<string, FakeUser>();
  readonly channels = new Map<string, FakeChannel>();
  readonly messages: FakeMessage[] = [];
  readonly files = new Map<string, FakeFile>();
  #lastMicros = 0;
  #ids = 0;

  constructor() {
    for (const [id, name, dm] of [
      ["U0ALICE", "alice", "D0ALICE"],
      ["U0BOB", "bob", "D0BOB"],
    ] as const) {
      this.users.set(id, { id, name, dm });
      this.addChannel(dm);
    }
    this.addChannel("C0TEAM");
  }

  addChannel(id: string): FakeChannel {
    const channel = { id, isArchived: false, isMember: true };
    this.channels.set(id, channel);
    return channel;
  }

  userNamed(name: string): FakeUser {
    for (const user of this.users.values()) if (user.name === name || user.id === name) return user;
    throw new Error(`nobody is called ${name}`);
  }

  /** Seconds and microseconds, never the same twice. */
  nextTs(): string {
    this.#lastMicros = Math.max(this.#lastMicros + 1, Date.now() * 1_000);
    return `${Math.floor(this.#lastMicros / 1e6)}.${String(this.#lastMicros % 1e6).padStart(6, "0")}`;
  }

  nextId(prefix: string): string {
    this.#ids++;
    return `${prefix}${String(this.#ids).padStart(8, "0")}`;
  }

  add(message: Omit<FakeMessage, "ts" | "reactions"> & { ts?: string }): FakeMessage {
    const added: FakeMessage = { ...message, ts: message.ts ?? this.nextTs(), reactions: new Set() };
    this.messages.push(added);
    return added;
  }

  find(channel: string, ts: string): FakeMessage | undefined {
    return this.messages.find((one) => one.channel === channel && one.ts === ts);
  }

  /** The top of a channel, or one of its threads, oldest first. */
  at(channel: string, thread?: string): FakeMessage[] {
    return this.messages.filter((one) => one.channel === channel && one.thread_ts === thread);
  }
}

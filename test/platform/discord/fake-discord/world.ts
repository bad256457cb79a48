/** What Discord remembers: people, channels, messages, and for some minutes the nonces they were sent with. */

export interface FakeUser {
  readonly id: string;
  readonly username: string;
  readonly bot?: boolean;
}

export interface FakeChannel {
  readonly id: string;
  readonly type: number;
  readonly name?: string;
  readonly guild_id?: string;
  readonly parent_id?: string;
  readonly recipients?: readonly FakeUser[];
  /** There when the bot is in the thread. */
  member?: object;
  owner_id?: string;
  thread_metadata?: { archived: boolean; locked: boolean };
}

export interface FakeMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly author: FakeUser;
  content: string;
  components: readonly FakeRow[];
  readonly type: number;
  readonly attachments: readonly object[];
  readonly mentions: readonly FakeUser[];
  readonly mention_roles: readonly string[];
  readonly referenced_message?: FakeMessage;
  readonly webhook_id?: string;
  readonly timestamp: string;
  edited_timestamp?: string;
}

export interface FakeRow {
  readonly components: readonly { readonly label: string; readonly custom_id: string }[];
}

const EPOCH_MS = 1_420_070_400_000n;

export class World {
  readonly bot: FakeUser = { id: "900000000000000001", username: "talaria", bot: true };
  readonly otherBot: FakeUser = { id: "900000000000000002", username: "otherbot", bot: true };
  readonly people = {
    alice: { id: "100000000000000001", username: "alice" },
    bob: { id: "100000000000000002", username: "bob" },
  } as const;
  readonly guildId = "300000000000000001";
  readonly botRoleId = "310000000000000001";
  readonly applicationId = "910000000000000001";
  readonly channels = new Map<string, FakeChannel>();
  readonly messages = new Map<string, FakeMessage[]>();
  readonly files = new Map<string, { readonly bytes: Uint8Array; readonly mediaType: string }>();
  /** How long a nonce is known. */
  nonceWindowMs = 5 * 60_000;
  readonly #nonces = new Map<string, { readonly message: FakeMessage; readonly atMs: number }>();
  #lastId = 0n;

  constructor() {
    const { alice, bob } = this.people;
    this.add({ id: "200000000000000001", type: 1, recipients: [alice] });
    this.add({ id: "200000000000000002", type: 1, recipients: [bob] });
    this.add({ id: "200000000000000003", type: 0, name: "general", guild_id: this.guildId });
    this.add({
      ...{ id: "200000000000000004", type: 11, name: "a thread", guild_id: this.guildId },
      ...{ parent_id: "200000000000000003", owner_id: alice.id, thread_metadata: { archived: false, locked: false } },
    });
  }

  add(channel: FakeChannel): FakeChannel {
    this.channels.set(channel.id, channel);
    this.messages.set(channel.id, []);
    return channel;
  }

  /** Rises with time and never repeats. */
  newId(atMs = Date.now()): string {
    const id = (BigInt(atMs) - EPOCH_MS) << 22n;
    this.#lastId = id > this.#lastId ? id : this.#lastId + 1n;
    return this.#lastId.toString();
  }

  post(channelId: string, author: FakeUser, more: Partial<FakeMessage> & { readonly content: string }): FakeMessage {
    const message: FakeMessage = {
      ...{ id: this.newId(), channel_id: channelId, author, components: [], type: 0, attachments: [], mentions: [] },
      ...{ mention_roles: [], timestamp: new Date().toISOString() },
      ...more,
    };
    this.messages.get(channelId)?.push(message);
    return message;
  }

  byNonce(nonce: string): FakeMessage | undefined {
    const known = this.#nonces.get(nonce);
    return known !== undefined && Date.now() - known.atMs < this.nonceWindowMs ? known.message : undefined;
  }

  keepNonce(nonce: string, message: FakeMessage): void {
    this.#nonces.set(nonce, { message, atMs: Date.now() });
  }

  keepFile(name: string, mediaType: string, bytes: Uint8Array, baseUrl: string): object {
    const id = this.newId();
    this.files.set(id, { bytes, mediaType });
    return { id, filename: name, content_type: mediaType, size: bytes.length, url: `${baseUrl}/files/${id}` };
  }
}

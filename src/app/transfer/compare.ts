/**
 * Compares a conversation in an export with the same one here, message by message, before anything is written:
 * what we have must be a beginning of what comes, or the other way round. Anything else is two histories under one
 * name, and is refused.
 */
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ImportCursor } from "#session/verbs/care.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import type { AnyRecord, MessageRecord, SessionRecord } from "./records.js";
import { messagePages } from "./source.js";

export type Verdict =
  | { readonly kind: "new" }
  | { readonly kind: "extends"; readonly messages: number }
  | { readonly kind: "known" }
  | { readonly kind: "deleted" }
  | { readonly kind: "conflict"; readonly why: string };

export class Comparison {
  #cursor: ImportCursor | null = null;
  #isFirst = true;
  #ours: AsyncGenerator<readonly HistoryRow[]> | undefined;
  #page: readonly HistoryRow[] = [];
  #at = 0;
  #seq = 0;
  #conflict: string | undefined;

  constructor(
    private readonly store: SessionStore,
    private readonly id: string,
  ) {}

  /** Feed every record of the conversation, in order. */
  async see(record: AnyRecord): Promise<void> {
    if (this.#conflict !== undefined || this.#cursor?.isDeleted) return;
    if (record.type === "session") this.#conflict = await this.#session(record);
    else if (record.type === "message") {
      this.#seq = record.seq;
      if (this.#cursor !== null && record.seq <= this.#cursor.seq) this.#conflict = await this.#message(record);
    }
  }

  verdict(): Verdict {
    if (this.#conflict !== undefined) return { kind: "conflict", why: this.#conflict };
    if (this.#cursor === null) return { kind: "new" };
    if (this.#cursor.isDeleted) return { kind: "deleted" };
    return this.#seq > this.#cursor.seq
      ? { kind: "extends", messages: this.#seq - this.#cursor.seq }
      : { kind: "known" };
  }

  async #session(record: SessionRecord): Promise<string | undefined> {
    const known = await this.store.importCursor({ session: record.id });
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (known !== null && known.conversation !== this.id)
      return `session ${record.id} belongs to ${known.conversation} here`;
    if (isFirst) return this.#begin(known);
    // A new session goes on where ours stands, or ours is another story.
    if (this.#cursor === null || known !== null) return undefined;
    const isNext = this.#seq >= this.#cursor.seq;
    return isNext
      ? undefined
      : `it was compacted after message ${this.#seq}, and here it went on to ${this.#cursor.seq}`;
  }

  async #begin(known: ImportCursor | null): Promise<string | undefined> {
    this.#cursor = known;
    if (known !== null) {
      this.#ours = messagePages(this.store, known.conversation, { withSuperseded: true, isRedacted: false });
      return undefined;
    }
    const taken = await this.store.resolve({ text: this.id });
    if (taken.kind === "deleted") return "it was deleted here";
    const isTaken = taken.kind === "found" && taken.conversation === (this.id as ConversationId);
    return isTaken ? "another conversation has its id here" : undefined;
  }

  async #message(record: MessageRecord): Promise<string | undefined> {
    if (this.#at >= this.#page.length) {
      const next = await this.#ours?.next();
      this.#page = next?.done ? [] : (next?.value ?? []);
      this.#at = 0;
    }
    const ours = this.#page[this.#at++];
    return ours !== undefined && isSame(ours, record) ? undefined : `message ${record.seq} is another one here`;
  }
}

function isSame(ours: HistoryRow, theirs: MessageRecord): boolean {
  return (
    ours.seq === theirs.seq &&
    ours.session === theirs.session &&
    ours.role === theirs.role &&
    ours.text === theirs.text &&
    ours.isCarried === (theirs.carried ?? false) &&
    JSON.stringify(ours.body ?? null) === JSON.stringify(theirs.body ?? null)
  );
}

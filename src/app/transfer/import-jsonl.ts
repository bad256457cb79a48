/**
 * Imports an export of ours [IM-5], in two passes over the file. The first checks every line and compares with what
 * is here; the second writes the conversations that are new or go on. So a conversation comes in whole or not at
 * all, and what the second pass writes goes by sequence numbers: cut anywhere, it is simply run again.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ImportedConversation, ImportedMessage, ImportedSession } from "#session/verbs/care.js";
import { Comparison, type Verdict } from "./compare.js";
import { parseExport } from "./parse-records.js";
import type { ConversationRecord, EndRecord, MessageRecord, SessionRecord, SupersededRecord } from "./records.js";
import { storeTarget, type Target } from "./target.js";

export interface JsonlOptions {
  readonly path: string;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly isDryRun: boolean;
  readonly lineBytesMax?: number;
  onProgress?(messages: number): void;
}

export interface JsonlReport {
  readonly conversations: {
    readonly found: number;
    readonly added: number;
    readonly extended: number;
    readonly known: number;
  };
  readonly messages: { readonly found: number; readonly added: number };
  /** Left out, each with the line and the reason. */
  readonly refused: readonly { readonly line: number; readonly conversation: string | null; readonly why: string }[];
  readonly remarks: readonly { readonly conversation: string; readonly what: string }[];
  readonly isDryRun: boolean;
}

interface Group {
  readonly line: number;
  verdict: Verdict | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Draft {
  readonly conversations: Mutable<JsonlReport["conversations"]>;
  readonly messages: Mutable<JsonlReport["messages"]>;
  readonly refused: { line: number; conversation: string | null; why: string }[];
  readonly remarks: { conversation: string; what: string }[];
}

export async function importJsonl(options: JsonlOptions): Promise<JsonlReport> {
  const draft: Draft = {
    conversations: { found: 0, added: 0, extended: 0, known: 0 },
    messages: { found: 0, added: 0 },
    refused: [],
    remarks: [],
  };
  const groups = await survey(options, draft);
  for (const [id, { verdict, line }] of groups) judge(draft, id, verdict, line);
  if (!options.isDryRun) await write(options, groups, draft);
  draft.refused.sort((a, b) => a.line - b.line);
  return { ...draft, isDryRun: options.isDryRun };
}

/** Every conversation of the file with what shall become of it; undefined for one with a bad line. */
async function survey(options: JsonlOptions, draft: Draft): Promise<Map<string, Group>> {
  const { path, store, signal, lineBytesMax } = options;
  const groups = new Map<string, Group>();
  let comparison: { readonly group: Group; readonly with: Comparison } | undefined;
  for await (const parsed of parseExport(path, lineBytesMax)) {
    signal.throwIfAborted();
    if (parsed.kind === "bad") {
      draft.refused.push({ line: parsed.line, conversation: parsed.conversation, why: parsed.why });
      comparison = undefined;
      continue;
    }
    const { record, line } = parsed;
    if (record.type === "message") draft.messages.found++;
    if (record.type === "conversation") {
      draft.conversations.found++;
      const group: Group = { line, verdict: undefined };
      const isTwice = groups.has(record.id);
      if (isTwice) draft.refused.push({ line, conversation: record.id, why: "it appears twice in this file" });
      else groups.set(record.id, group);
      comparison = isTwice ? undefined : { group, with: new Comparison(store, record.id) };
    }
    await comparison?.with.see(record);
    if (record.type === "end" && comparison !== undefined) comparison.group.verdict = comparison.with.verdict();
  }
  return groups;
}

function judge(draft: Draft, id: string, verdict: Verdict | undefined, line: number): void {
  switch (verdict?.kind) {
    case undefined:
    case "new":
    case "extends":
      return;
    case "known":
      draft.conversations.known++;
      return;
    case "deleted":
      draft.refused.push({ line, conversation: id, why: "it was deleted here" });
      return;
    case "conflict":
      draft.refused.push({ line, conversation: id, why: verdict.why });
  }
}

async function write(options: JsonlOptions, groups: ReadonlyMap<string, Group>, draft: Draft): Promise<void> {
  const target = storeTarget(options.store, options.clock, options.signal);
  let writer: ConversationWriter | undefined;
  for await (const parsed of parseExport(options.path, options.lineBytesMax)) {
    if (parsed.kind === "bad") {
      writer = undefined;
      continue;
    }
    const { record, line } = parsed;
    if (record.type === "conversation") {
      const group = groups.get(record.id);
      const verdict = group?.line === line ? group.verdict : undefined;
      writer = verdict && new ConversationWriter(target, draft, { record, verdict, line });
    } else if (writer !== undefined) await writer.take(record);
    options.onProgress?.(draft.messages.added);
  }
  await target.flush();
}

const MESSAGES_PER_ACT = 500;

class ConversationWriter {
  #messages: MessageRecord[] = [];
  #ranges: SupersededRecord[] = [];
  #isFirst = true;
  #isRefused = false;
  #isCounted = false;

  constructor(
    private readonly target: Target,
    private readonly draft: Draft,
    private readonly group: { record: ConversationRecord; verdict: Verdict; line: number },
  ) {}

  async take(record: SessionRecord | MessageRecord | SupersededRecord | EndRecord | ConversationRecord): Promise<void> {
    const { kind } = this.group.verdict;
    if (kind !== "new" && kind !== "extends" && kind !== "known") return;
    switch (record.type) {
      case "conversation":
        return;
      case "session":
        await this.#sendMessages();
        return this.#session(record);
      case "message":
        if (this.#messages.length >= MESSAGES_PER_ACT || this.#messages[0]?.session !== record.session)
          await this.#sendMessages();
        this.#messages.push(record);
        return;
      case "superseded":
        this.#ranges.push(record);
        return;
      case "end":
        await this.#sendMessages();
        await this.#sendRanges();
        this.#count(kind, 1);
    }
  }

  async #session(record: SessionRecord): Promise<void> {
    const { record: conversation } = this.group;
    const session = toSession(record);
    const act = { weight: 1_000, done: this.#titled, refused: this.#refuse };
    if (this.#isFirst)
      await this.target.add({ verb: "importConversation", args: toConversation(conversation, session), ...act });
    else {
      const id = conversation.id as ConversationId;
      await this.target.add({ verb: "importSession", args: { conversation: id, session }, ...act });
    }
    this.#isFirst = false;
  }

  async #sendMessages(): Promise<void> {
    const [first] = this.#messages;
    if (first === undefined) return;
    const messages = this.#messages.map(toMessage);
    this.#messages = [];
    const { activeMs } = this.group.record;
    await this.target.add({
      verb: "importMessages",
      args: { session: first.session, messages, numbering: "seq", activeMs },
      weight: messages.reduce((sum, { text }) => sum + text.length + 500, 0),
      done: ({ added }) => {
        this.draft.messages.added += added;
      },
      refused: this.#refuse,
    });
  }

  async #sendRanges(): Promise<void> {
    const ranges = this.#ranges.map(({ type, ...range }) => range);
    if (ranges.length === 0) return;
    const conversation = this.group.record.id as ConversationId;
    const act = { weight: 100, done: () => undefined, refused: this.#refuse };
    await this.target.add({ verb: "importSuperseded", args: { conversation, ranges }, ...act });
  }

  readonly #titled = ({ title, kind }: { readonly title: string; readonly kind: string }): void => {
    const { record } = this.group;
    if (kind === "added" && title === "dropped")
      this.draft.remarks.push({ conversation: record.id, what: "its title is in use here and was not taken" });
  };

  /** The answers come with a later commit, so what was counted may have to be taken back. */
  #count(kind: Verdict["kind"], by: 1 | -1): void {
    if (this.#isRefused || this.#isCounted === by > 0) return;
    this.#isCounted = by > 0;
    if (kind === "new") this.draft.conversations.added += by;
    if (kind === "extends") this.draft.conversations.extended += by;
  }

  readonly #refuse = (why: string): void => {
    if (this.#isRefused) return;
    this.#count(this.group.verdict.kind, -1);
    this.#isRefused = true;
    this.draft.refused.push({ line: this.group.line, conversation: this.group.record.id, why });
  };
}

function toConversation(record: ConversationRecord, first: ImportedSession): ImportedConversation {
  const { parent, owner } = record;
  return {
    id: record.id,
    lineage: record.lineage,
    ...(parent && {
      parent: { conversation: parent.conversation, ...(parent.seq !== undefined && { seq: parent.seq }) },
    }),
    source: record.source,
    ...(owner && {
      owner: {
        platform: owner.platform,
        account: owner.account,
        ...(owner.ours !== undefined && { ours: owner.ours }),
        ...(owner.name !== undefined && { name: owner.name }),
      },
    }),
    createdMs: record.createdMs,
    activeMs: record.activeMs,
    isArchived: record.archived ?? false,
    first,
  };
}

function toSession({ type, usage, ...record }: SessionRecord): ImportedSession {
  const { costUnknown, ...spent } = usage ?? {};
  const session = { ...record, ...(usage && { usage: spent, isCostUnknown: costUnknown ?? false }) };
  return session as ImportedSession;
}

function toMessage(record: MessageRecord): ImportedMessage {
  return {
    role: record.role,
    // The driver ends a text at a NUL, so one is shown by its picture instead.
    text: record.text.replaceAll("\0", "\u2400"),
    ...(record.body && { body: record.body }),
    atMs: record.atMs,
    sourceNo: record.seq,
    ...(record.carried && { isCarried: true }),
  };
}

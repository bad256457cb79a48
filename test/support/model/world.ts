/**
 * The store as a few plain objects: what the verbs ought to do, written a second time and as simply as possible.
 * It knows no SQL, no transactions and no crashes, because none of them may be visible. Ids come from the store.
 */
import type { CallOutcome, Effect } from "#session/tool-call.js";

export interface Opening {
  readonly no: number;
  readonly platform: string;
  announced: boolean;
  reason: string | null;
}

export interface Title {
  readonly title: string;
  readonly base: string;
  readonly number: number;
}

export interface Session {
  readonly id: string;
  readonly lineage: string;
  readonly fromSeq: number;
  title: Title | null;
  /** The first one that was kept; a continuation and a branch inherit it. */
  prompt: string | null;
  readonly openings: Opening[];
}

export interface Said {
  readonly seq: number;
  readonly role: string;
  readonly text: string;
  readonly session: string;
  readonly isCarried: boolean;
  /** The turn it was said in, the calls it asks for, and the call it answers. */
  readonly turn: string | null;
  readonly asks: readonly string[];
  readonly answers: string | null;
}

export interface Waiting {
  readonly id: string;
  readonly text: string;
  readonly mode: string;
  readonly event: KnownEvent;
}

export interface Call {
  readonly id: string;
  /** The provider's name of it, which pairs it with its result. */
  readonly callId: string;
  readonly effect: Effect;
  state: "recorded" | "started" | "finished";
  attempts: number;
  outcome: CallOutcome | null;
  approval: Approval | null;
}

export interface Approval {
  readonly id: string;
  readonly question: { readonly grant?: string };
  readonly answer: string | null;
  readonly reply: string | null;
}

export interface Spent {
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
  unpricedCalls: number;
}

/** Newest first in a world; without a conversation it holds everywhere. */
export interface Grant {
  readonly name: string;
  readonly conversation: Conversation | null;
}

export interface Turn {
  readonly id: string;
  state: "running" | "waiting";
  attempts: number;
  draft: string;
  steps: number;
  readonly spent: Spent;
  readonly calls: Call[];
}

export interface Conversation {
  readonly id: string;
  readonly no: number;
  readonly lineage: string;
  readonly parent: Conversation | null;
  readonly sessions: Session[];
  readonly messages: Said[];
  readonly hidden: { readonly from: number; readonly to: number }[];
  queue: Waiting[];
  turn: Turn | null;
  /** The pass of the last turn, and one that is stale. */
  pass: { turn: string; epoch: number } | null;
  stalePass: { turn: string; epoch: number } | null;
  lease: { epoch: number; host: string } | null;
  activeMs: number;
  isArchived: boolean;
  isDeleted: boolean;
  /** What a compaction has read, perhaps long ago. */
  version: { tip: string; seq: number; undone: number } | null;
}

export interface Route {
  readonly key: string;
  conversation: Conversation;
  usedMs: number;
  /** Minutes of idleness after which it resets; null is never. */
  idleMinutes: number | null;
  expiresMs: number | null;
  expiredMs: number | null;
  suspendedReason: string | null;
}

export interface KnownEvent {
  readonly eventId: string;
  readonly input: string;
  readonly conversation: Conversation;
  phase: "queued" | "taken" | "steered" | "cancelled" | "dead";
}

/** A row in a line: of deliveries to one destination, or of boundaries to one subscriber and order key. */
export interface Owed {
  readonly no: number;
  readonly line: string;
  readonly what: string;
  state: "pending" | "busy" | "unknown" | "ended";
  attempts: number;
  dueMs: number | null;
  host: string | null;
  isMarked: boolean;
  /** Given by the store when it is claimed. */
  key: string;
}

export class World {
  nowMs = Date.UTC(2026, 0, 15, 12);
  host = "host-1";
  readonly conversations: Conversation[] = [];
  readonly routes = new Map<string, Route>();
  readonly events: KnownEvent[] = [];
  readonly deliveries: Owed[] = [];
  readonly hooks: Owed[] = [];
  grants: Grant[] = [];
  /** By day: everybody here is the owner of the home. */
  readonly ledger = new Map<string, Spent & { turns: number }>();
  #openings = 0;
  #rows = 0;

  today(): Spent & { turns: number } {
    const day = new Date(this.nowMs).toISOString().slice(0, 10);
    const spent = this.ledger.get(day) ?? { ...nothing(), turns: 0 };
    this.ledger.set(day, spent);
    return spent;
  }

  /** `tokens` of a model call, one millionth each where its price is known. */
  spend(turn: Turn, { tokens, isPriced }: { tokens: number; isPriced: boolean }): undefined {
    if (tokens === 0) return;
    for (const spent of [turn.spent, this.today()]) {
      spent.inputTokens += tokens;
      spent.outputTokens += 2 * tokens;
      if (isPriced) spent.costMicros += tokens;
      else spent.unpricedCalls++;
    }
  }

  tip(conversation: Conversation): Session {
    return at(conversation.sessions, -1);
  }

  create(id: string, session: string, birth: { lineage: string; parent: Conversation | null }): Conversation {
    const conversation: Conversation = {
      id,
      no: this.conversations.length,
      ...birth,
      sessions: [{ id: session, lineage: birth.lineage, fromSeq: 1, title: null, prompt: null, openings: [] }],
      messages: [],
      hidden: [],
      queue: [],
      turn: null,
      pass: null,
      stalePass: null,
      lease: null,
      activeMs: this.nowMs,
      isArchived: false,
      isDeleted: false,
      version: null,
    };
    this.conversations.push(conversation);
    return conversation;
  }

  append(
    conversation: Conversation,
    role: string,
    text: string,
    calls: Partial<Pick<Said, "asks" | "answers">> = {},
  ): undefined {
    const turn = conversation.turn?.id ?? null;
    this.#push(conversation, { role, text, isCarried: false, turn, asks: [], answers: null, ...calls });
  }

  /** What a compaction or a branch copies belongs to no turn. */
  carry(conversation: Conversation, message: Pick<Said, "role" | "text" | "asks" | "answers">): undefined {
    const { role, text, asks, answers } = message;
    this.#push(conversation, { role, text, asks, answers, isCarried: true, turn: null });
  }

  #push(conversation: Conversation, said: Omit<Said, "seq" | "session">): undefined {
    conversation.messages.push({
      ...said,
      seq: conversation.messages.length + 1,
      session: this.tip(conversation).id,
    });
  }

  openingOf(session: Session): Opening | undefined {
    return session.openings.find((opening) => opening.reason === null);
  }

  ensureOpen(conversation: Conversation, platform: string, hasContent: boolean): undefined {
    const tip = this.tip(conversation);
    let opening = this.openingOf(tip);
    if (opening === undefined) {
      opening = { no: ++this.#openings, platform, announced: false, reason: null };
      tip.openings.push(opening);
    }
    if (!hasContent || opening.announced) return;
    opening.announced = true;
    this.tell(conversation, "on_session_start");
  }

  /** Answers whether anything was open. */
  close(conversation: Conversation, reason: string, orderKey?: string): boolean {
    const opening = this.openingOf(this.tip(conversation));
    if (opening === undefined) return false;
    opening.reason = reason;
    if (opening.announced) this.tell(conversation, "on_session_finalize", orderKey);
    return true;
  }

  compressOpening(conversation: Conversation, child: Session): undefined {
    const opening = this.openingOf(this.tip(conversation));
    if (opening === undefined) return;
    opening.reason = "compression";
    child.openings.push({ ...opening, no: ++this.#openings, reason: null });
  }

  tell(conversation: Conversation, kind: string, orderKey?: string): undefined {
    const line = orderKey ?? this.routeKeys(conversation)[0] ?? conversation.id;
    this.owe(this.hooks, line, `${kind} ${this.tip(conversation).id}`);
  }

  owe(rows: Owed[], line: string, what: string): undefined {
    const isHead = !rows.some((row) => row.line === line && row.state !== "ended");
    const dueMs = isHead ? this.nowMs : null;
    rows.push({
      no: ++this.#rows,
      line,
      what,
      state: "pending",
      attempts: 0,
      dueMs,
      host: null,
      isMarked: false,
      key: "",
    });
  }

  end(rows: readonly Owed[], row: Owed): undefined {
    row.state = "ended";
    row.dueMs = null;
    const next = rows.find((other) => other.line === row.line && other.state !== "ended");
    if (next !== undefined && next.state === "pending") next.dueMs ??= this.nowMs;
  }

  due(rows: readonly Owed[], limit: number): Owed[] {
    const due = rows.filter((row) => row.dueMs !== null && row.dueMs <= this.nowMs);
    return due.sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0) || a.no - b.no).slice(0, limit);
  }

  claim(row: Owed): undefined {
    Object.assign(row, { state: "busy", dueMs: null, attempts: row.attempts + 1, host: this.host });
  }

  routeKeys(conversation: Conversation): string[] {
    const routes = [...this.routes.values()].filter((route) => route.conversation === conversation);
    return routes.map((route) => route.key).sort();
  }

  /** A route that was swept holds nothing: its next message goes elsewhere. */
  isRoutedElsewhere(conversation: Conversation, key: string | undefined): boolean {
    return this.routeKeys(conversation).some((other) => other !== key && this.routes.get(other)?.expiredMs === null);
  }

  isBusy(conversation: Conversation): boolean {
    return conversation.turn !== null || conversation.queue.length > 0;
  }

  isHidden(conversation: Conversation, seq: number): boolean {
    return conversation.hidden.some(({ from, to }) => from <= seq && seq <= to);
  }

  deadline(route: Route): number | null {
    return route.idleMinutes === null ? null : this.nowMs + route.idleMinutes * 60_000;
  }
}

export function nothing(): Spent {
  return { inputTokens: 0, outputTokens: 0, costMicros: 0, unpricedCalls: 0 };
}

export function at<T>(items: readonly T[], index: number): T {
  const item = items.at(index);
  if (item === undefined) throw new Error(`nothing at ${index} of ${items.length}`);
  return item;
}

/**
 * The journal, seen from one point in time: which calls count as acknowledged. After a kill that is every answer that
 * was told; after a cut of the log, those whose commit lies below the cut. All others were only sent.
 */
import type { Inbound } from "#session/verbs/intake.js";
import type { Entry, Journal, Violation } from "../journal.js";
import type { Rows } from "./rows.js";

export class Ledger {
  readonly acked: readonly Entry[];
  readonly removalSent: ReadonlySet<string>;
  readonly #sent: readonly Entry[];
  #parts: Map<number, number> | undefined;

  constructor(
    readonly journal: Journal,
    walBytes = Number.POSITIVE_INFINITY,
  ) {
    this.#sent = journal.entries;
    this.acked = journal.entries.filter((entry) => entry.isAcked && (entry.walBytes ?? 0) <= walBytes);
    this.removalSent = new Set(
      this.#sentOf("remove").map((entry) => (entry.args as { conversation: string }).conversation),
    );
  }

  /** How many parts a turn owes. */
  partsOf(rows: Rows, turn: number): number {
    if (this.#parts === undefined) {
      this.#parts = new Map();
      for (const { turn: of } of rows.deliveries.values())
        if (of !== null) this.#parts.set(of, (this.#parts.get(of) ?? 0) + 1);
    }
    return this.#parts.get(turn) ?? 0;
  }

  /** INV-02, INV-03, INV-04: each event at most once, in the order in which its chat sent it, and none from nowhere. */
  findStrangers(rows: Rows): Violation[] {
    const found: Violation[] = [];
    const order = new Map<string, number>();
    for (const { args } of this.#sentOf("admit")) {
      const { eventId } = args as Inbound;
      if (!order.has(eventId)) order.set(eventId, order.size);
    }
    const lastOf = new Map<string, number>();
    for (const [event, inputs] of rows.inputs) {
      const place = order.get(event);
      if (place === undefined) found.push({ kind: "other", text: `INV-03 event ${event} was never sent` });
      if (inputs.length > 1)
        found.push({ kind: "duplicate", text: `INV-02 event ${event} is stored ${inputs.length} times` });
      const chat = event.split(".", 1)[0] ?? "";
      if ((place ?? 0) < (lastOf.get(chat) ?? 0))
        found.push({ kind: "other", text: `INV-04 event ${event} is out of order` });
      lastOf.set(chat, Math.max(lastOf.get(chat) ?? 0, place ?? 0));
    }
    for (const [token, count] of rows.said) {
      if (count > 1) found.push({ kind: "duplicate", text: `INV-02 event ${token} is said ${count} times` });
    }
    for (const row of rows.conversations.values()) {
      if (row.deleted !== null && !this.removalSent.has(row.id))
        found.push({ kind: "loss", text: `INV-17 conversation ${row.id} is deleted, and nobody asked for it` });
    }
    return found;
  }

  /** An attempt is counted for each take-over that was acknowledged, and for none that was not sent [CT-9]. */
  findUncounted(rows: Rows): Violation[] {
    const found: Violation[] = [];
    const acked = countBy(this.acked.filter((entry) => entry.verb === "takeOver"));
    const sent = countBy(this.#sentOf("takeOver"));
    for (const turn of rows.turns.values()) {
      const counted = turn.attempts - 1;
      if (counted < (acked.get(turn.id) ?? 0) || counted > (sent.get(turn.id) ?? 0))
        found.push({ kind: "other", text: `turn ${turn.id} counts ${turn.attempts} attempts` });
    }
    return found;
  }

  /** FQ-1: a live turn holds the draft that was saved last, and one that was cut has it in its history. */
  findLostDrafts(rows: Rows): Violation[] {
    const drafts = new Map<string, (string | null)[]>();
    const acked = new Set(this.acked);
    for (const entry of this.#sent) {
      const { turn, text } = entry.args as { turn: string; text: string };
      if (entry.verb !== "saveDraft" && entry.verb !== "recordStep") continue;
      if (entry.isAcked && (entry.value as { kind: string }).kind === "fenced") continue;
      const draft = entry.verb === "saveDraft" ? text : null;
      // An acknowledged one settles what it was; one that was only sent may or may not have replaced it.
      drafts.set(turn, acked.has(entry) ? [draft] : [...(drafts.get(turn) ?? [null]), draft]);
    }
    return [...drafts].flatMap(([id, candidates]): Violation[] => {
      const turn = rows.turns.get(id);
      if (turn === undefined || turn.outcome === "completed" || rows.byNo.get(turn.conversation)?.deleted !== null)
        return [];
      const isKept =
        turn.state === "settled"
          ? candidates.some((text) => text === null || rows.wordsOfTurns.has(`${turn.no}/${text}`))
          : candidates.includes(turn.draft);
      return isKept ? [] : [{ kind: "loss", text: `FQ-1 the draft ${candidates[0]} of turn ${id} is gone` }];
    });
  }

  /** INV-07, INV-08: what the platform saw. One unmarked copy of a part, and parts in their order. */
  findBadPosts(rows: Rows): Violation[] {
    const found: Violation[] = [];
    const unmarked = new Set<string>();
    const seen = new Set<string>();
    const lastOf = new Map<string, number>();
    for (const { delivery, isMarked } of this.journal.posts) {
      if (!isMarked && unmarked.has(delivery))
        found.push({ kind: "duplicate", text: `INV-07 part ${delivery} was posted twice without a mark` });
      if (!isMarked) unmarked.add(delivery);
      const row = rows.deliveries.get(delivery);
      if (row === undefined || seen.has(delivery)) continue;
      seen.add(delivery);
      if (row.no < (lastOf.get(row.destination) ?? 0))
        found.push({ kind: "other", text: `INV-08 part ${delivery} overtook another` });
      lastOf.set(row.destination, row.no);
    }
    return found;
  }

  /** INV-05: once a host has recovered, no live turn belongs to a host before it. */
  findAbandoned(rows: Rows): Violation[] {
    const recovered = this.journal.hosts.findLastIndex((host) => host.hasRecovered);
    const since = new Set(this.journal.hosts.slice(Math.max(0, recovered)).map((host) => host.id));
    return [...rows.turns.values()]
      .filter((turn) => turn.state !== "settled" && recovered >= 0 && !since.has(turn.host))
      .map((turn) => ({ kind: "wedged", text: `INV-05 turn ${turn.id} is live under the dead host ${turn.host}` }));
  }

  /** INV-16: a boundary that counts as delivered was told. */
  findUntold(rows: Rows): Violation[] {
    return [...rows.hooks]
      .filter(([key, state]) => state === "done" && !this.journal.told.has(key))
      .map(([key]) => ({ kind: "loss", text: `INV-16 boundary ${key} is done and was never told` }));
  }

  #sentOf(verb: Entry["verb"]): Entry[] {
    return this.#sent.filter((entry) => entry.verb === verb);
  }
}

function countBy(entries: readonly Entry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { args } of entries) {
    const { turn } = args as { turn: string };
    counts.set(turn, (counts.get(turn) ?? 0) + 1);
  }
  return counts;
}

/** Everything that was ever sent is there, and nothing waits: asked when the last writer said it is idle. */
export function findUnfinished(rows: Rows, journal: Journal): Violation[] {
  const wedged = (text: string): Violation => ({ kind: "wedged", text });
  return [
    ...journal.unacknowledged().map((inbound) => wedged(`event ${inbound.eventId} was never acknowledged`)),
    ...[...rows.inputs.values()]
      .flat()
      .filter((row) => row.state === "queued")
      .map((row) => wedged(`event ${row.event} waits`)),
    ...[...rows.turns.values()]
      .filter((row) => row.state !== "settled")
      .map((row) => wedged(`turn ${row.id} is ${row.state}`)),
    ...[...rows.deliveries.values()]
      .filter((row) => row.state !== "sent" && row.state !== "dead")
      .map((row) => wedged(`part ${row.id} is ${row.state}`)),
    ...[...rows.hooks]
      .filter(([, state]) => state !== "done" && state !== "dead")
      .map(([key]) => wedged(`hook ${key} waits`)),
    ...[...rows.inputs.values()]
      .flat()
      .filter((row) => !isSaidOnce(rows, row))
      .map((row) => wedged(`event ${row.event} is not in history`)),
  ];
}

/** What was taken is in history; the history of a deleted conversation is not looked at. */
function isSaidOnce(rows: Rows, row: { event: string; state: string; conversation: string }): boolean {
  if (row.state !== "taken" && row.state !== "steered") return true;
  if (rows.conversations.get(row.conversation)?.deleted !== null) return true;
  return rows.said.get(row.event) === 1;
}

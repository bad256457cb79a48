/**
 * What the writer tells the outside, and the ledger that is kept of it. A call is told before it is made and its
 * answer only after the promise resolved, each with one write to the pipe: what the kernel took from the writer
 * is read here even when the writer died in the next instruction.
 */
import type { VerbName } from "#session/store.js";
import type { Inbound } from "#session/verbs/intake.js";

export type ViolationKind = "loss" | "duplicate" | "repeat" | "half" | "wedged" | "other";

export interface Violation {
  readonly kind: ViolationKind;
  readonly text: string;
}

export type Line =
  | { readonly t: "ready"; readonly host: string }
  | { readonly t: "recovered" }
  | { readonly t: "call"; readonly n: number; readonly verb: VerbName; readonly args: unknown }
  | { readonly t: "ack"; readonly n: number; readonly value: unknown; readonly wal?: number }
  | { readonly t: "error"; readonly n: number; readonly message: string }
  /** A reply reached the platform, which cannot take it back. */
  | { readonly t: "post"; readonly delivery: string; readonly isMarked: boolean }
  /** A hook ran. */
  | { readonly t: "told"; readonly key: string }
  /** The writer itself saw something that may not be. */
  | ({ readonly t: "broken" } & Violation)
  | { readonly t: "full" }
  | { readonly t: "idle" };

export interface Entry {
  readonly generation: number;
  readonly verb: VerbName;
  readonly args: unknown;
  isAcked: boolean;
  value?: unknown;
  /** Size of the write-ahead log when the answer was told: the commit lies below it. */
  walBytes?: number;
}

export interface HostSeen {
  readonly id: string;
  readonly generation: number;
  hasRecovered: boolean;
}

export class Journal {
  readonly entries: Entry[] = [];
  readonly posts: { readonly delivery: string; readonly isMarked: boolean }[] = [];
  readonly told = new Set<string>();
  readonly hosts: HostSeen[] = [];
  readonly broken: Violation[] = [];
  readonly #open = new Map<string, Entry>();

  absorb(generation: number, line: Line): void {
    switch (line.t) {
      case "ready":
        this.hosts.push({ id: line.host, generation, hasRecovered: false });
        break;
      case "recovered":
        for (const host of this.hosts) if (host.generation === generation) host.hasRecovered = true;
        break;
      case "call": {
        const entry = { generation, verb: line.verb, args: line.args, isAcked: false };
        this.entries.push(entry);
        this.#open.set(`${generation}:${line.n}`, entry);
        break;
      }
      case "ack":
        this.#answer(generation, line);
        break;
      case "error":
        this.broken.push({ kind: "other", text: `${this.#nameOf(generation, line.n)} was refused: ${line.message}` });
        break;
      case "post":
        this.posts.push({ delivery: line.delivery, isMarked: line.isMarked });
        break;
      case "told":
        this.told.add(line.key);
        break;
      case "broken":
        this.broken.push({ kind: line.kind, text: line.text });
        break;
      case "full":
      case "idle":
        break;
    }
  }

  get acks(): number {
    return this.entries.reduce((sum, entry) => sum + (entry.isAcked ? 1 : 0), 0);
  }

  /** Events the platform has no acknowledgement of, in the order it first sent them: it sends them again [CT-2]. */
  unacknowledged(): Inbound[] {
    const waiting = new Map<string, Inbound>();
    for (const entry of this.entries) {
      if (entry.verb !== "admit") continue;
      const inbound = entry.args as Inbound;
      if (!waiting.has(inbound.eventId)) waiting.set(inbound.eventId, inbound);
    }
    for (const entry of this.entries) {
      if (entry.verb === "admit" && entry.isAcked) waiting.delete((entry.args as Inbound).eventId);
    }
    return [...waiting.values()];
  }

  #answer(generation: number, line: Extract<Line, { t: "ack" }>): void {
    const entry = this.#open.get(`${generation}:${line.n}`);
    if (entry === undefined) return;
    this.#open.delete(`${generation}:${line.n}`);
    entry.isAcked = true;
    entry.value = line.value;
    if (line.wal !== undefined) entry.walBytes = line.wal;
  }

  #nameOf(generation: number, n: number): string {
    return this.#open.get(`${generation}:${n}`)?.verb ?? "a call";
  }
}

/**
 * What an import found, took and found odd [IM-3]. Counts are exact; of each kind of oddity the first few are
 * kept for showing, and all of them go to a file as they are found, so that memory stays flat.
 */
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";

export const EXAMPLES_MAX = 20;

/** What each kind of oddity means, in words for a person. */
export const ODD_KINDS = {
  "stray-messages": "messages whose session is gone there; kept as a conversation of their own",
  "missing-parent": "sessions whose parent is gone there; kept on their own",
  "self-parent": "sessions that name themselves as parent; the link was cut",
  "parent-cycle": "sessions that are each other's parents; the circle was cut",
  "ended-but-continued": "sessions that were marked as ended and then went on elsewhere; both parts were kept",
  "unexplained-parent": "sessions with a parent but no reason for it; kept on their own",
  "second-continuation": "further continuations of one session; kept as branches",
  "not-at-the-tip": "continuations of a session that has gone on here already; kept as branches",
  "renamed-session": "session ids too short or too long to keep; the old id is in the session's origin",
  "title-not-taken": "titles that are in use here or not valid; the old title is in the session's origin",
  "bad-time": "times that are none; a neighbouring time was used",
  "end-without-reason": "sessions with half an end (a time or a reason only)",
  "unknown-role": "messages with an unknown role; kept as notes",
  "unreadable-content": "messages whose structured content cannot be read; kept as text",
  "unreadable-tool-calls": "messages whose tool calls cannot be read; kept as they were",
  "nul-characters": "messages with NUL characters, which are shown as \u2400",
  "call-without-result": "tool calls without a result",
  "result-without-call": "tool results without a call",
  "goal-without-session": "goals of sessions that are not there",
  "deleted-here": "sessions of conversations that were deleted here; they stay deleted",
  "not-stored": "could not be stored",
  "not-reached": "messages that could not be reached through any session",
  "bad-route": "routes that cannot be read; left out",
  "route-without-session": "routes to sessions that are not there; left out",
  "same-route-twice": "routes that are the same chat spelled twice; the first was taken",
  "rows-left-behind": "rows that Talaria has no use for",
} as const;

export type OddKind = keyof typeof ODD_KINDS;

export interface Odd {
  readonly kind: OddKind;
  readonly count: number;
  readonly examples: readonly { readonly subject: string; readonly detail?: string }[];
}

export interface Tally {
  readonly found: number;
  readonly added: number;
  /** Already here from an earlier run. */
  readonly known: number;
  /** Reported under an odd kind, and not stored. */
  readonly left: number;
}

export type Counted = "sessions" | "messages" | "routes";

export interface Ledger {
  count(what: Counted, field: keyof Tally, by?: number): void;
  odd(kind: OddKind, subject: string, detail?: string, by?: number): void;
  tally(what: Counted): Tally;
  odds(): readonly Odd[];
  /** Resolves when the file of oddities is complete; answers its path when there is something in it. */
  close(): Promise<string | undefined>;
}

/** `path` is where the full list goes; without one only the examples are kept. */
export function createLedger(path?: string): Ledger {
  const tallies: Record<Counted, { -readonly [F in keyof Tally]: number }> = {
    sessions: { found: 0, added: 0, known: 0, left: 0 },
    messages: { found: 0, added: 0, known: 0, left: 0 },
    routes: { found: 0, added: 0, known: 0, left: 0 },
  };
  const odds = new Map<OddKind, { count: number; examples: { subject: string; detail?: string }[] }>();
  let file: WriteStream | undefined;
  let failure: Error | undefined;
  const write = (line: string): void => {
    if (path === undefined) return;
    file ??= createWriteStream(path, { mode: 0o600, flags: "wx" }).on("error", (error) => {
      failure = error;
    });
    file.write(line);
  };
  let closing: Promise<string | undefined> | undefined;
  const finish = async (): Promise<string | undefined> => {
    if (file === undefined) return undefined;
    file.end();
    await once(file, "close");
    if (failure !== undefined) throw failure;
    return path;
  };
  return {
    count(what, field, by = 1) {
      tallies[what][field] += by;
    },
    odd(kind, subject, detail, by = 1) {
      const entry = odds.get(kind) ?? { count: 0, examples: [] };
      odds.set(kind, entry);
      entry.count += by;
      const example = detail === undefined ? { subject } : { subject, detail };
      if (entry.examples.length < EXAMPLES_MAX) entry.examples.push(example);
      write(`${JSON.stringify({ kind, ...example, ...(by > 1 && { count: by }) })}\n`);
    },
    tally: (what) => ({ ...tallies[what] }),
    odds: () => [...odds].map(([kind, entry]) => ({ kind, ...entry })).sort((a, b) => b.count - a.count),
    close: () => {
      closing ??= finish();
      return closing;
    },
  };
}

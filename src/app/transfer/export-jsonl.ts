/** The lossless form [IM-5]: the same conversations always give the same bytes. */
import type { ConversationCard, HistoryRow, SessionRow } from "#session/verbs/reading.js";
import type { Rendering } from "./export.js";
import { FORMAT_VERSION, type MessageRecord, type SessionRecord, type SupersededRecord } from "./records.js";
import type { Leaving } from "./source.js";

export function jsonlRendering({ isRedacted }: { readonly isRedacted: boolean }): Rendering {
  return {
    begin: () => line({ type: "talaria-export", version: FORMAT_VERSION, ...(isRedacted && { redacted: true }) }),
    async *conversation(leaving, pages) {
      yield line(conversationOf(leaving));
      const waiting = [...leaving.card.sessions];
      const due = (seq: number): SessionRow[] =>
        waiting.splice(0, waiting.filter(({ fromSeq }) => fromSeq <= seq).length);
      let messages = 0;
      for await (const page of pages) {
        const lines: string[] = [];
        for (const row of page) {
          lines.push(...due(row.seq).map((session) => line(sessionOf(session))), line(messageOf(row)));
          messages++;
        }
        yield lines.join("");
      }
      const rest = due(Number.MAX_SAFE_INTEGER).map((session) => line(sessionOf(session)));
      const ranges = merged(leaving.card.superseded).map((range) => line(range));
      yield [...rest, ...ranges, line({ type: "end", conversation: leaving.card.id, messages })].join("");
    },
    end: () => "",
  };
}

/** Line separators of other alphabets are escaped, so that every tool agrees on what a line is. */
function line(record: object): string {
  return `${JSON.stringify(record).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

function conversationOf({ card, owner }: Leaving): object {
  const parent = card.parent && {
    conversation: card.parent.conversation,
    ...(card.parent.seq !== null && { seq: card.parent.seq }),
  };
  return {
    type: "conversation",
    id: card.id,
    lineage: card.lineage,
    ...(parent && { parent }),
    source: card.source,
    ...(owner && { owner }),
    createdMs: card.createdMs,
    activeMs: card.activeMs,
    ...(card.isArchived && { archived: true }),
  };
}

function sessionOf(row: SessionRow): SessionRecord {
  const isUsed = Object.values(row.usage).some((value) => value > 0) || row.costMicros !== null || row.isCostUnknown;
  const usage = {
    ...row.usage,
    ...(row.costMicros !== null && { costMicros: row.costMicros }),
    ...(row.isCostUnknown && { costUnknown: true as const }),
  };
  return {
    type: "session",
    id: row.id,
    ...(row.parent !== null && { continues: row.parent }),
    createdMs: row.createdMs,
    ...(row.title !== null && { title: row.title }),
    ...(row.model !== null && { model: row.model }),
    ...(row.cwd !== null && { cwd: row.cwd }),
    ...(Object.keys(row.settings).length > 0 && { settings: row.settings }),
    ...(row.prompt !== null && { prompt: row.prompt }),
    ...(isUsed && { usage }),
    ...(row.origin !== null && Object.keys(row.origin).length > 0 && { origin: row.origin }),
    openings: row.openings.map(({ platform, openedMs, closedMs, reason }) => ({
      platform,
      openedMs,
      closedMs,
      reason,
    })),
  };
}

function messageOf(row: HistoryRow): MessageRecord {
  return {
    type: "message",
    seq: row.seq,
    session: row.session,
    role: row.role,
    text: row.text,
    ...(row.body && { body: row.body }),
    ...(row.isCarried && { carried: true }),
    atMs: row.atMs,
  };
}

/** An import may have been cut and gone on, which splits a range; whole, it says the same. */
function merged(ranges: ConversationCard["superseded"]): SupersededRecord[] {
  const out: SupersededRecord[] = [];
  for (const { fromSeq, toSeq, reason, atMs } of [...ranges].sort(
    (a, b) => a.fromSeq - b.fromSeq || a.toSeq - b.toSeq,
  )) {
    const last = out.at(-1);
    const isNext = reason === "import" && last?.reason === "import" && last.toSeq + 1 === fromSeq;
    if (last !== undefined && isNext) out[out.length - 1] = { ...last, toSeq };
    else out.push({ type: "superseded", fromSeq, toSeq, reason: reason as SupersededRecord["reason"], atMs });
  }
  return out;
}

/** From an argument to a conversation, or to the sentence that says why not. */
import type { Finding } from "#app/find.js";
import { UserError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import { redact } from "#base/redact.js";
import { truncate, visible } from "#base/text-width.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard, ConversationRow } from "#session/verbs/reading.js";
import { EXIT } from "../exit-codes.js";
import { formatDateTime } from "../format.js";

const NAME_CELLS_MAX = 50;

/** The conversation that an id, a unique prefix or a title leads to; a UserError when there is no such one. */
export async function requireSession(store: SessionStore, text: string): Promise<ConversationCard> {
  if (text.trim() === "")
    throw new UserError("an empty text names no session", "an id, its beginning or a title will do", EXIT.usage);
  const { find } = await import("#app/find.js");
  const finding = await find(store, text);
  if (finding.kind === "found") {
    const card = await store.show({ conversation: finding.conversation });
    if (card !== null) return card;
    // It was deleted between the two looks.
    throw notFound(text, { kind: "unknown", similar: [] });
  }
  throw notFound(text, finding);
}

export async function shortIdsOf(
  store: SessionStore,
  ids: readonly ConversationId[],
): Promise<(id: ConversationId) => string> {
  const { shortIds } = await import("#app/find.js");
  const short = await shortIds(store, ids);
  return (id) => short.get(id) ?? id;
}

/** Its title, else how it begins, without secrets; never empty. */
export function nameOf({ title, preview }: Pick<ConversationRow, "title" | "preview">): string {
  return redact(title ?? preview ?? "(untitled)");
}

/** `"my project" (7h3kq2vd)` in a sentence. */
export function mention(row: Pick<ConversationRow, "title" | "preview" | "id">): string {
  return `"${truncate(visible(nameOf(row)), NAME_CELLS_MAX)}" (${row.id})`;
}

function notFound(text: string, finding: Exclude<Finding, { kind: "found" }>): UserError {
  const asked = truncate(visible(text), NAME_CELLS_MAX);
  switch (finding.kind) {
    case "deleted":
      return new UserError(
        `${asked} was deleted on ${formatDateTime(finding.atMs)}`,
        "talaria restore goes back to a backup made before that",
        EXIT["not-found"],
      );
    case "ambiguous":
      return new UserError(
        `${asked} could be ${finding.candidates.length === 2 ? "either" : "any"} of these`,
        finding.candidates.map(mention).join("\n"),
        EXIT["not-found"],
      );
    case "unknown":
      return new UserError(
        `no session is called ${asked}, and no id begins with it`,
        finding.similar.length > 0
          ? `did you mean ${finding.similar.map(mention).join(", or ")}?`
          : "talaria sessions list shows them; an id, its beginning or a title will do",
        EXIT["not-found"],
      );
  }
}

/** What the commands say in `--json` about a conversation. */
export function sessionDocument(row: ConversationRow): Readonly<Record<string, unknown>> {
  return {
    id: row.id,
    tip: row.tip,
    title: row.title,
    preview: row.preview,
    source: row.source,
    lineage: row.lineage,
    model: row.model,
    messages: row.messages,
    created: new Date(row.createdMs).toISOString(),
    active: new Date(row.activeMs).toISOString(),
    archived: row.isArchived,
    ended: row.endedMs === null ? null : { at: new Date(row.endedMs).toISOString(), reason: row.endReason },
  };
}

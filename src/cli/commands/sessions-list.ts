/** `talaria sessions list`: the most recently used conversations. */
import { UserError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import { visible } from "#base/text-width.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationRow, ListCursor } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatCount } from "../format.js";
import { nameOf, sessionDocument, shortIdsOf } from "./sessions-find.js";
import { withReader } from "./sessions-store.js";

export interface ListOptions {
  readonly limit: number;
  readonly source?: string;
  readonly all?: boolean;
  readonly after?: string;
}

export function listSessions(context: CliContext, options: ListOptions): Promise<void> {
  return withReader(context, async (store) => {
    const { source, all, limit } = options;
    const filter = { ...(source === undefined ? {} : { source }), withArchived: all === true };
    const after = options.after === undefined ? undefined : parseCursor(options.after);
    // One more than is shown, to know whether there is more.
    const rows = await store.list({ ...filter, limit: limit + 1, ...(after && { after }) });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const next = last === undefined ? null : cursorText(last);
    if (context.out.json) return context.out.document({ sessions: shown.map(sessionDocument), next });
    if (shown.length === 0) return tellEmpty(context, store, options);
    await showTable(context, store, shown);
    if (next !== null) context.out.note(`More: talaria sessions list${repeated(options)} --after ${next}`);
  });
}

async function showTable(context: CliContext, store: SessionStore, rows: readonly ConversationRow[]): Promise<void> {
  const { paint, time, table } = context.out;
  const shortId = await shortIdsOf(
    store,
    rows.map(({ id }) => id),
  );
  table<ConversationRow>(
    [
      { title: "ID", value: ({ id }) => shortId(id) },
      {
        title: "TITLE",
        value: nameOf,
        flexible: true,
        paint: (text, { title }) => (title === null ? paint.dim(text) : text),
      },
      { title: "SOURCE", value: ({ source }) => source },
      { title: "MSGS", value: ({ messages }) => formatCount(messages), align: "right" },
      { title: "ACTIVE", value: ({ activeMs }) => time(activeMs) },
      { title: "STATE", value: stateOf, paint: (text) => paint.dim(text) },
    ],
    rows,
  );
}

/** The stored reasons in words that fit a column; `--json` has them as they are. */
const REASONS: Readonly<Record<string, string>> = {
  session_reset: "reset",
  compression: "compacted",
  session_expired: "expired",
  route_pruned: "route pruned",
  resumed_other: "left",
  orphaned_compression: "orphaned",
  cli_close: "closed",
  tui_close: "closed",
  api_close: "closed",
  shutdown: "closed",
};

export function stateOf({ isArchived, endedMs, endReason }: ConversationRow): string {
  if (isArchived) return "archived";
  return endedMs === null || endReason === null ? "open" : (REASONS[endReason] ?? endReason);
}

async function tellEmpty(context: CliContext, store: SessionStore, options: ListOptions): Promise<void> {
  const { out } = context;
  if (options.after !== undefined) return out.line("No more sessions.");
  const { conversations, bySource } = await store.stats({});
  if (conversations === 0) {
    // Where was looked: somebody with years of history and a wrong TALARIA_HOME must not fear for it.
    out.line(`No sessions yet in ${visible(context.home.root)}.`);
    return out.line("`talaria chat` begins one; `talaria import hermes` brings yours along.");
  }
  if (options.source === undefined) return out.line("All sessions are archived: talaria sessions list --all");
  const sources = Object.keys(bySource).sort();
  out.table([{ title: "No sessions from this source. There are some from:", value: (name) => name }], sources);
}

function repeated({ limit, source, all }: ListOptions): string {
  const parts = [limit === LIST_LIMIT_DEFAULT ? "" : ` -n ${limit}`, all === true ? " --all" : ""];
  return `${parts.join("")}${source === undefined ? "" : ` --source ${source}`}`;
}

export const LIST_LIMIT_DEFAULT = 20;

/** Opaque to callers: when the last row was used, and its id, which tells rows of one moment apart. */
function cursorText({ activeMs, id }: ListCursor): string {
  return `${activeMs.toString(36)}.${id}`;
}

function parseCursor(text: string): ListCursor {
  const [, time, id] = /^([0-9a-z]{1,11})\.(.{4,128})$/.exec(text) ?? [];
  if (time === undefined || id === undefined) {
    throw new UserError("--after takes what an earlier list gave as `next`", undefined, EXIT.usage);
  }
  return { activeMs: Number.parseInt(time, 36), id: id as ConversationId };
}

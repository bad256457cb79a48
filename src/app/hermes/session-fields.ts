/** One session row of the source as one of ours [IM-4]: times, model, settings, prompt, usage, cost, origin, openings. */
import type { Usage } from "#session/message.js";
import type { ImportedConversation, ImportedSession } from "#session/verbs/care.js";
import { type SourceNumber, type SourceText, toMs, toNumber, toText } from "./columns.js";
import { isRecord, jsonOrText } from "./json-text.js";
import type { PlanKind, PlanRow } from "./plan.js";
import type { Ledger } from "./report.js";
import type { SessionRow } from "./source.js";

export interface SessionExtras {
  readonly schema: number | null;
  readonly goal?: string;
  /** When a route that leads here was finalized there: its opening must not be finalized again [BH-12]. */
  readonly finalizedMs?: number;
  /** Time of the first message, for rows without a usable start. */
  readonly firstMs: () => number | null;
}

export interface ReadSession {
  readonly session: ImportedSession;
  readonly source: string;
  readonly owner?: { readonly platform: string; readonly account: string };
  readonly isArchived: boolean;
}

export function readSession(plan: PlanRow, row: SessionRow, extras: SessionExtras, ledger: Ledger): ReadSession {
  const source = toText(row.source) || "unknown";
  const userId = toText(row.user_id);
  const startedMs = toMs(row.started_at);
  if (startedMs === null) ledger.odd("bad-time", plan.sourceId, "the session's start");
  const createdMs = startedMs ?? extras.firstMs() ?? toMs(row.ended_at) ?? 0;
  const { settings, marks } = settingsOf(toText(row.model_config));
  const title = toText(row.title);
  const end = endOf(plan, row, extras, ledger);
  const usage = usageOf(row);
  return {
    source,
    ...(userId && { owner: { platform: source, account: userId } }),
    isArchived: toNumber(row.archived) === 1,
    session: {
      id: plan.id,
      createdMs,
      ...(title && { title }),
      ...text("model", row.model),
      ...text("cwd", row.cwd),
      ...text("prompt", row.system_prompt),
      settings,
      usage,
      origin: originOf(plan, row, { ...marks, ...extras }),
      openings: [{ platform: source, openedMs: createdMs, ...end }],
    },
  };
}

/** For messages whose session row is gone. */
export function strayConversation(plan: PlanRow, firstMs: number): ImportedConversation {
  return {
    id: plan.id,
    lineage: "import",
    source: "unknown",
    createdMs: firstMs,
    activeMs: firstMs,
    first: {
      id: plan.id,
      createdMs: firstMs,
      origin: { program: "hermes", sourceId: plan.sourceId, isRowMissing: true },
      openings: [{ platform: "unknown", openedMs: firstMs, closedMs: firstMs, reason: "unknown" }],
    },
  };
}

/** A delegated run without a parent cannot be a delegation here; archived, it stays out of lists all the same. */
export function conversationOf(plan: PlanRow, read: ReadSession): ImportedConversation {
  const isLostDelegate = plan.kind === "delegation" && plan.parent === null;
  return {
    id: plan.id,
    lineage: isLostDelegate ? "import" : LINEAGE[plan.kind],
    ...(plan.parent !== null && { parent: { session: plan.parent } }),
    source: read.source,
    ...(read.owner && { owner: read.owner }),
    createdMs: read.session.createdMs,
    activeMs: read.session.createdMs,
    isArchived: read.isArchived || isLostDelegate,
    first: read.session,
  };
}

const LINEAGE: Readonly<Record<PlanKind, ImportedConversation["lineage"]>> = {
  root: "import",
  detached: "import",
  continuation: "branch",
  sibling: "branch",
  branch: "branch",
  delegation: "delegation",
};

type End = { readonly closedMs: number | null; readonly reason: string | null };

export function endOf(plan: PlanRow, row: SessionRow, extras: SessionExtras, ledger?: Ledger): End {
  const endedMs = toMs(row.ended_at);
  const reason = toText(row.end_reason) || null;
  if (endedMs !== null) {
    if (reason === null) ledger?.odd("end-without-reason", plan.sourceId);
    return { closedMs: endedMs, reason: reason ?? "unknown" };
  }
  if (reason !== null) ledger?.odd("end-without-reason", plan.sourceId, reason);
  if (extras.finalizedMs !== undefined) return { closedMs: extras.finalizedMs, reason: "session_expired" };
  return { closedMs: null, reason: null };
}

const MARKS = ["_branched_from", "_delegate_from"] as const;

function settingsOf(config: string | null): {
  settings: Readonly<Record<string, unknown>>;
  marks: Readonly<Record<string, unknown>>;
} {
  if (config === null || config === "") return { settings: {}, marks: {} };
  const value = jsonOrText(config);
  if (!isRecord(value)) return { settings: value === null ? {} : { modelConfig: value }, marks: {} };
  const isMark = (key: string): boolean => (MARKS as readonly string[]).includes(key);
  const entries = Object.entries(value);
  return {
    settings: Object.fromEntries(entries.filter(([key]) => !isMark(key))),
    marks: Object.fromEntries(entries.filter(([key]) => isMark(key)).map(([key, mark]) => [key.slice(1), mark])),
  };
}

/** Dollars become millionths; what the source calls unknown stays unknown, and is never zero. */
function usageOf(row: SessionRow): Usage {
  const actual = toNumber(row.actual_cost_usd);
  const estimated = toText(row.cost_status) === "unknown" ? null : toNumber(row.estimated_cost_usd);
  const dollars = actual ?? estimated;
  return {
    inputTokens: count(row.input_tokens),
    outputTokens: count(row.output_tokens),
    cacheReadTokens: count(row.cache_read_tokens),
    cacheWriteTokens: count(row.cache_write_tokens),
    reasoningTokens: count(row.reasoning_tokens),
    modelCalls: count(row.api_call_count),
    ...(dollars !== null && { costMicros: Math.min(Math.round(dollars * 1_000_000), Number.MAX_SAFE_INTEGER) }),
  };
}

function count(value: SourceNumber): number {
  return Math.min(Math.max(0, Math.trunc(toNumber(value) ?? 0)), Number.MAX_SAFE_INTEGER);
}

function originOf(
  plan: PlanRow,
  row: SessionRow,
  extras: Readonly<Record<string, unknown>> & SessionExtras,
): Readonly<Record<string, unknown>> {
  const { goal, finalizedMs, firstMs, schema, ...marks } = extras;
  const group = (
    fields: Readonly<Record<string, SourceText | SourceNumber>>,
  ): Readonly<Record<string, unknown>> | null => {
    const known = Object.entries(fields)
      .map(([key, value]) => [key, value instanceof Uint8Array ? toText(value) : value] as const)
      .filter(([, value]) => value !== null && value !== 0);
    return known.length === 0 ? null : Object.fromEntries(known);
  };
  const fields: Readonly<Record<string, unknown>> = {
    program: "hermes",
    schema,
    sourceId: plan.sourceId === plan.id ? null : plan.sourceId,
    parent: toText(row.parent_session_id),
    title: toText(row.title),
    endReason: toText(row.end_reason),
    goal: goal === undefined ? null : jsonOrText(goal),
    billing: group({ provider: row.billing_provider, baseUrl: row.billing_base_url, mode: row.billing_mode }),
    cost: group({
      estimatedUsd: row.estimated_cost_usd,
      actualUsd: row.actual_cost_usd,
      status: row.cost_status,
      source: row.cost_source,
      pricingVersion: row.pricing_version,
    }),
    handoff: group({ state: row.handoff_state, platform: row.handoff_platform, error: row.handoff_error }),
    rewindCount: toNumber(row.rewind_count) || null,
    ...marks,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function text(key: "model" | "cwd" | "prompt", value: SourceText): Readonly<Record<string, string>> {
  const known = toText(value);
  return known === null || known === "" ? {} : { [key]: known.replaceAll("\0", "\u2400") };
}

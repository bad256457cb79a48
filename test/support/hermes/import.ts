/** Imports a home into a store of its own, in memory, as the command does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HermesOptions, type HermesReport, importHermes } from "#app/hermes/import-hermes.js";
import { type Exported, type ExportFormat, exportConversations } from "#app/transfer/export.js";
import { type Clock, systemClock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import { NO_RESET } from "#session/reset-policy.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";

export function newStore(): SessionStore {
  return openInlineStore().store;
}

export async function importFrom(
  dir: string,
  store: SessionStore,
  options: Partial<HermesOptions> = {},
): Promise<HermesReport> {
  const scratch = mkdtempSync(join(tmpdir(), "hermes-scratch-"));
  const signal = new AbortController().signal;
  const request = { dir, store, clock: systemClock, signal, policy: NO_RESET, scratch, isDryRun: false };
  return importHermes({ ...request, onProgress: () => undefined, ...options }).finally(() =>
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20 }),
  );
}

export async function cardOf(store: SessionStore, text: string): Promise<ConversationCard> {
  const found = await store.resolve({ text });
  const card = found.kind === "found" ? await store.show({ conversation: found.conversation }) : null;
  if (card === null) throw new Error(`${text} is ${found.kind}`);
  return card;
}

export async function historyOf(store: SessionStore, text: string): Promise<readonly HistoryRow[]> {
  const { id } = await cardOf(store, text);
  return store.history({ conversation: id, afterSeq: 0, limit: 100_000, withSuperseded: true });
}

export interface TextExport extends Exported {
  readonly text: string;
}

export async function exportText(
  store: SessionStore,
  format: ExportFormat = "jsonl",
  more: { only?: readonly ConversationId[]; isRedacted?: boolean; withSuperseded?: boolean } = {},
): Promise<TextExport> {
  const { only, isRedacted = false, withSuperseded = false } = more;
  let text = "";
  const write = async (piece: string): Promise<void> => {
    text += piece;
  };
  const place = { write, isOwn: false, finish: async () => undefined };
  const exported = await exportConversations(
    store,
    {
      selection: only === undefined ? {} : { only },
      format,
      isRedacted,
      withSuperseded,
      signal: new AbortController().signal,
    },
    { open: async () => place, close: async () => undefined },
  );
  return { text, ...exported };
}

export const at = (nowMs: number): Clock => ({ ...systemClock, nowMs: () => nowMs });

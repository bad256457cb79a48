/**
 * Tells copies from originals. After a compaction the source begins the next context with copies: protected
 * messages from the beginning, a summary, protected messages from the end; a branch begins with a copy of its
 * parent. Here they are marked as carried, so that a reader meets every message once.
 *
 * A run of copies begins at the start of the context or at a summary and ends with the first message that is
 * neither a summary nor an original of the parent. A message that somebody really repeats later stays theirs.
 */
import { createHash } from "node:crypto";
import { type SourceText, toText } from "./columns.js";
import type { MessageRow } from "./source.js";

export interface Copies {
  /** Feed every message of the context in order, from its first. */
  isCopy(row: MessageRow): boolean;
}

export const NO_COPIES: Copies = { isCopy: () => false };

export function createCopies(originals: ReadonlySet<string>): Copies {
  let isCopying = true;
  return {
    isCopy(row) {
      if (isSummary(row.content)) isCopying = true;
      else if (isCopying) isCopying = originals.has(digestOf(row));
      return isCopying;
    },
  };
}

/** How a summary begins in the versions of the source that are known. */
const SUMMARY_MARKS = ["[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT"] as const;

export function isSummary(content: SourceText): boolean {
  const text = toText(content) ?? "";
  return SUMMARY_MARKS.some((mark) => text.startsWith(mark));
}

export function digestOf(row: MessageRow): string {
  const identity = [row.role, row.content, row.tool_call_id, row.tool_calls].map(toText);
  return createHash("sha256").update(JSON.stringify(identity)).digest("base64").slice(0, 20);
}

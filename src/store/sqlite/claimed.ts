/**
 * A turn as its runner gets it, when it is claimed and when it is taken over: where it stands, what it has spent and what
 * its session was started with. Everything is read from the tip, so that a compaction in mid-turn is seen at once.
 */
import { invariant } from "#base/errors.js";
import type { InputId, TurnId } from "#base/ids.js";
import type { Address } from "#session/address.js";
import type { ClaimedTurn, Spent } from "#session/verbs/turns.js";
import type { Conversation } from "./acts.js";
import { parsed, type Tx } from "./tx.js";

export interface ClaimState {
  readonly turn: TurnId;
  readonly epoch: number;
  readonly input: InputId;
  readonly seq: number;
  readonly attempts: number;
  readonly address: string | null;
  readonly steps: number;
  readonly spent: Spent;
}

export function claimedTurn(tx: Tx, conversation: Conversation, { address, ...state }: ClaimState): ClaimedTurn {
  const where = parsed<Address>(address);
  return {
    ...state,
    conversation: conversation.id,
    session: conversation.session,
    ...(where && { address: where }),
    text: textAt(tx, conversation.no, state.seq),
    source: conversation.source,
    ...startOf(tx, conversation.tip),
  };
}

function textAt(tx: Tx, conversation: number, seq: number): string {
  const row = tx.db.get<{ text: string }>(
    "SELECT text FROM message WHERE conversation = ? AND seq = ?",
    conversation,
    seq,
  );
  invariant(row, "what a turn took is history");
  return row.text;
}

function startOf(tx: Tx, session: number): Pick<ClaimedTurn, "model" | "cwd" | "settings" | "prompt" | "isTitled"> {
  const row = tx.db.get<{
    model: string | null;
    cwd: string | null;
    settings: string;
    prompt: string | null;
    title: string | null;
  }>(
    "SELECT s.model, s.cwd, s.settings, s.title, p.text AS prompt FROM session s LEFT JOIN prompt p ON p.hash = s.prompt WHERE s.no = ?",
    session,
  );
  invariant(row, "a tip has a row");
  const { title, settings, ...rest } = row;
  return { ...rest, settings: JSON.parse(settings) as Record<string, unknown>, isTitled: title !== null };
}

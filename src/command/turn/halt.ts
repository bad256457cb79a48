/**
 * Ends what a conversation does: what waits is withdrawn first, so that it is not begun when the running turn is over.
 * Answers in time whatever the agent does [CT-7]: a turn that takes longer to end is told as ending.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { SlashContext } from "../command.js";

/** A person waits no longer than this for a turn or a process to obey. */
export const HALT_PATIENCE_MS = 1_500;
/** Withdrawn at once; what is beyond goes with the next /stop. */
export const WITHDRAWN_MAX = 1_000;
const PAGE_INPUTS = 100;

export interface Halted {
  readonly withdrawn: number;
  readonly wasAtWork: boolean;
  /** It has ended; false: it will in a moment. */
  readonly isOver: boolean;
}

export async function halt(
  { store, live, clock }: SlashContext,
  conversation: ConversationId,
  reason: string,
): Promise<Halted> {
  if (live === undefined) return { withdrawn: 0, wasAtWork: false, isOver: true };
  const withdrawn = await withdraw(store, conversation, { reason, nowMs: clock.nowMs() });
  if (withdrawn > 0) live.tell(conversation, { type: "queue-changed", queued: 0 });
  const ended = await inTime(clock, live.interrupt(conversation));
  if (ended.kind === "late") return { withdrawn, wasAtWork: true, isOver: false };
  const rested = ended.value ? await inTime(clock, live.rest(conversation)) : { kind: "in-time" };
  return { withdrawn, wasAtWork: ended.value, isOver: rested.kind === "in-time" };
}

/** Withdraws what waits and answers how much that was. */
export async function withdraw(
  store: SessionStore,
  conversation: ConversationId,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<number> {
  let withdrawn = 0;
  while (withdrawn < WITHDRAWN_MAX) {
    const page = await store.queue({ conversation, limit: PAGE_INPUTS });
    const outcomes = await Promise.all(page.map(({ id }) => store.cancelInput({ input: id, reason, nowMs })));
    const cancelled = outcomes.filter(({ kind }) => kind === "cancelled").length;
    withdrawn += cancelled;
    // A turn may take one between the look and the act: then nothing is left to withdraw.
    if (cancelled === 0) break;
  }
  return withdrawn;
}

export type InTime<T> = { readonly kind: "in-time"; readonly value: T } | { readonly kind: "late" };

/** What is late goes on by itself; its failure is still everybody's. */
export async function inTime<T>(clock: Clock, work: Promise<T>): Promise<InTime<T>> {
  let forget = (): void => undefined;
  const late = new Promise<InTime<T>>((resolve) => {
    forget = clock.after(HALT_PATIENCE_MS, () => resolve({ kind: "late" }));
  });
  try {
    return await Promise.race([work.then((value): InTime<T> => ({ kind: "in-time", value })), late]);
  } finally {
    forget();
  }
}

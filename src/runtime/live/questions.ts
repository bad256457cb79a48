/**
 * Open questions of one conversation, told one at a time and in their order: a client has one place for a question, and
 * an answer to the wrong one would release what nobody read. The rows are the store's; this is who waits for them here.
 */
import type { Question } from "#agent/glimpse.js";
import type { PersonsAnswer } from "#agent/turn-parts.js";
import type { ApprovalId } from "#base/ids.js";
import type { FeedEvent } from "./feed-event.js";

export interface Questions {
  /** Undefined when the signal is aborted first, or when `release` is called. */
  ask(approval: ApprovalId, question: Question, signal: AbortSignal): Promise<PersonsAnswer | undefined>;
  /** Of a turn that waits without anybody in memory: told, and nobody is woken by the answer. */
  remember(approval: ApprovalId, question: Question): void;
  /** True when a running turn takes the answer from here. */
  answered(approval: ApprovalId, answer: PersonsAnswer): boolean;
  isOpen(approval: ApprovalId): boolean;
  oldest(): ApprovalId | undefined;
  /** Nobody is waited for any more: the turns that ask are left waiting in the store. */
  release(): void;
}

/** Answers that no turn has asked for yet; the oldest are forgotten, since the store has them all. */
const EARLY_MAX = 100;

interface Open {
  readonly question: Question;
  readonly resolve: ((answer: PersonsAnswer | undefined) => void) | undefined;
}

export function createQuestions(tell: (event: FeedEvent) => void): Questions {
  const open = new Map<ApprovalId, Open>();
  /** Decided by somebody who read the row before its turn began to wait here. */
  const early = new Map<ApprovalId, PersonsAnswer>();
  const keepEarly = (approval: ApprovalId, answer: PersonsAnswer): void => {
    const [oldest] = early.keys();
    if (early.size >= EARLY_MAX && oldest !== undefined) early.delete(oldest);
    early.set(approval, answer);
  };
  const tellFirst = (): void => {
    const [first] = open;
    if (first !== undefined) tell({ type: "question", approval: first[0], question: first[1].question });
  };
  const add = (approval: ApprovalId, one: Open): void => {
    const isKnown = open.has(approval);
    open.set(approval, one);
    if (!isKnown && open.size === 1) tellFirst();
  };
  const remove = (approval: ApprovalId): void => {
    const wasFirst = open.keys().next().value === approval;
    if (open.delete(approval) && wasFirst) tellFirst();
  };
  return {
    ask(approval, question, signal) {
      const known = early.get(approval);
      early.delete(approval);
      if (known !== undefined || signal.aborted) return Promise.resolve(known);
      return new Promise((resolve) => {
        const stop = (): void => {
          remove(approval);
          resolve(undefined);
        };
        signal.addEventListener("abort", stop, { once: true });
        add(approval, {
          question,
          resolve(answer) {
            signal.removeEventListener("abort", stop);
            resolve(answer);
          },
        });
      });
    },
    remember: (approval, question) => {
      if (!open.has(approval)) add(approval, { question, resolve: undefined });
    },
    answered(approval, answer) {
      const one = open.get(approval);
      tell({ type: "answered", approval, answer: answer.answer });
      remove(approval);
      // Nobody waits for it here yet: its turn may be on its way to ask.
      if (one?.resolve === undefined) keepEarly(approval, answer);
      one?.resolve?.(answer);
      return one?.resolve !== undefined;
    },
    isOpen: (approval) => open.has(approval),
    oldest: () => open.keys().next().value,
    release() {
      const waiting = [...open.values()];
      open.clear();
      for (const { resolve } of waiting) resolve?.(undefined);
    },
  };
}

/**
 * The agent's journal over the store: every fact under the turn's pass. A writer that was fenced off is told by
 * an OperationalError `fenced`; its turn belongs to somebody else by then, and nothing of it is settled here.
 * The tip's history is read once and then followed by what was added, so a step costs its own messages only.
 */
import type { Question } from "#agent/glimpse.js";
import type { Journal } from "#agent/journal.js";
import type { Clock } from "#base/clock.js";
import { invariant, OperationalError } from "#base/errors.js";
import type { SessionId } from "#base/ids.js";
import { HOME_OWNER } from "#session/person.js";
import type { SessionStore } from "#session/store.js";
import type { TipHistory } from "#session/verbs/reading.js";
import type { ClaimedTurn, Fenced } from "#session/verbs/turns.js";
import type { HistoryCache } from "./history-cache.js";
import type { ChatWords, PutQuestion } from "./parts.js";

/** More permissions than this are not looked through; the person is asked again. */
const GRANTS_MAX = 1_000;

export interface StoreJournal extends Journal {
  /** The tip, as of the newest history that was read. */
  session(): SessionId;
  /** A session's system prompt is written once; the answer is the one that holds. */
  keepPrompt(prompt: string): Promise<string>;
}

export interface JournalParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly claimed: ClaimedTurn;
  readonly histories: HistoryCache;
  readonly chat?: ChatWords | undefined;
  /** Told between steps: what was shown before is history up to this number. */
  onStored?(seq: number): void;
}

export function createJournal({ store, clock, claimed, histories, chat, onStored }: JournalParts): StoreJournal {
  const pass = { turn: claimed.turn, epoch: claimed.epoch };
  const { address } = claimed;
  const put = async (question: Question): Promise<Partial<PutQuestion>> =>
    address === undefined || chat === undefined ? {} : chat.question(address, question);
  const { conversation } = claimed;
  let session = claimed.session;
  // Steers are taken when every call of the step before is finished: what is read next holds all that was shown.
  let isBetweenSteps = false;
  const now = (): { nowMs: number } => ({ nowMs: clock.nowMs() });
  return {
    session: () => session,
    async history(): Promise<TipHistory> {
      const history = await histories.read(conversation);
      session = history.tip;
      if (isBetweenSteps) onStored?.(history.seq);
      isBetweenSteps = false;
      return history;
    },
    async takeSteers() {
      isBetweenSteps = true;
      return unfenced(await store.takeSteers({ ...pass, ...now() })).texts;
    },
    recordStep: async (step) => unfenced(await store.recordStep({ ...pass, ...step, ...now() })).calls,
    async startCalls(calls) {
      const started = unfenced(await store.startCalls({ ...pass, calls, ...now() }));
      invariant(started.kind === "started", `a call is started when it may be (${JSON.stringify(started)})`);
    },
    async finishCall(call, { outcome, text, body }) {
      const result = { role: "tool" as const, text, body };
      unfenced(await store.finishCall({ ...pass, call, outcome, result, ...now() }));
    },
    async addContext(text, body) {
      unfenced(await store.addContext({ ...pass, text, body, ...now() }));
    },
    async saveDraft(text) {
      unfenced(await store.saveDraft({ ...pass, text }));
    },
    async openCalls() {
      const [open] = await store.openTurns({ limit: 1, conversation });
      if (open?.turn !== claimed.turn) throw fencedError();
      return open;
    },
    async ask(call, question) {
      const inChats = await put(question);
      const asked = await store.askApproval({ ...pass, call, question: { ...question }, ...inChats, ...now() });
      return unfenced(asked).approval;
    },
    async decide(approval, { answer, reply, by = HOME_OWNER }) {
      const words = reply === undefined ? {} : { reply };
      const decision = await store.decideApproval({ approval, answer, ...words, by, ...now() });
      invariant("answer" in decision, `an approval that was asked can be decided (${decision.kind})`);
      if (decision.kind === "decided") return { answer, ...words };
      const [open] = await store.openTurns({ limit: 1, conversation });
      const stored = open?.approvals.find(({ id }) => id === approval)?.reply ?? undefined;
      return { answer: decision.answer, ...(stored === undefined ? {} : { reply: stored }) };
    },
    async grants() {
      const grants = await store.grants({ conversation, limit: GRANTS_MAX });
      return new Set(grants.map(({ name }) => name));
    },
    keepPrompt: async (prompt) => unfenced(await store.keepPrompt({ ...pass, prompt })).prompt,
  };
}

/** The answer, unless the lease was lost; then nothing was written and the turn is somebody else's. */
export function unfenced<T extends { readonly kind: string }>(result: T | Fenced): Exclude<T, Fenced> {
  if (result.kind === "fenced") throw fencedError();
  return result as Exclude<T, Fenced>;
}

function fencedError(): OperationalError {
  return new OperationalError("fenced", "never", "This turn was taken over by another host; it goes on there.");
}

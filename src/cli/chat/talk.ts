/**
 * One conversation at a terminal: what is said is stored first, then the runtime does what there is to do, then the
 * outcome is shown. The order is the promise: an id that was printed can be resumed, an answer that was printed is
 * history.
 */
import type { TurnReport } from "#app/chat-ports.js";
import type { StartedRuntime } from "#app/start-runtime.js";
import type { ConversationId, SessionId } from "#base/ids.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { admit, type Said } from "./admit.js";
import type { Ask } from "./ask.js";
import { type ChatDisplay, isDemoLabel } from "./display.js";
import { CLI_PLATFORM, type RecallWish, recall } from "./target.js";

/** A tool gets 3 s to obey an interrupt; storing the outcome takes a moment more. */
export const CHAT_GRACE_MS = 5_000;
/** A title that is not ready by then is made by the next command. */
export const JOBS_PATIENCE_MS = 3_000;

export interface ChatParts {
  readonly context: CliContext;
  readonly started: StartedRuntime;
  readonly display: ChatDisplay;
  readonly start: SessionStart;
  /** `--model`: it is asked whatever the conversation was begun with. */
  readonly isModelChosen: boolean;
}

export interface Talk {
  readonly conversation: ConversationId | undefined;
  /** Its last turn waits for a person: nothing is closed then. */
  readonly isWaiting: boolean;
  /** Stores what is said. Answers whether it is new. */
  say(message: Said): Promise<"admitted" | "duplicate">;
  /** Stores what is said again, then hides the exchange it stands for: a death between the two loses nothing. */
  sayAgain(text: string): Promise<void>;
  /** Does what there is to do and shows it. */
  run(ask: Ask | undefined): Promise<readonly TurnReport[]>;
  /** Shows the last exchange instead of running anything. */
  showLast(asked: RecallWish): Promise<ExitCode>;
  /** From here on this one is talked to; undefined: the next message begins it. */
  moveTo(conversation: ConversationId | undefined): void;
  /** Never ends a conversation whose turn is open: that would cancel what waits or was cut. */
  close(): Promise<void>;
}

export function beginTalk(parts: ChatParts, card: ConversationCard | undefined): Talk {
  const { context, started, display } = parts;
  let conversation = card?.id;
  let isWaiting = card?.liveTurn?.phase === "waiting";
  let isTold = false;
  const tellOpened = (session: SessionId, own: string | undefined): void => {
    if (isTold || conversation === undefined) return;
    isTold = true;
    const model = own ?? started.model.label;
    const named = card?.id === conversation && card.title !== null ? { title: card.title } : {};
    display.opened({ conversation, session, model, isDemo: isDemoLabel(model), ...named });
  };
  if (card !== undefined) tellOpened(card.tip, parts.isModelChosen ? undefined : ownModel(card));
  return {
    get conversation() {
      return conversation;
    },
    get isWaiting() {
      return isWaiting;
    },
    async say(message) {
      const said = await admit(parts, conversation, message);
      conversation = said.conversation;
      tellOpened(said.session, undefined);
      return said.kind;
    },
    async sayAgain(text) {
      const said = await admit(parts, conversation, { text });
      conversation = said.conversation;
      await started.store.undo({ conversation, turns: 1, reason: "retry", nowMs: context.clock.nowMs() });
    },
    async run(ask) {
      if (conversation === undefined) return [];
      const reports = await runTurns(parts, conversation, ask);
      isWaiting = reports.at(-1)?.outcome === "waiting";
      if (reports.length > 0) display.ended(reports);
      return reports;
    },
    async showLast(asked) {
      if (conversation === undefined) return EXIT.ok;
      const recalled = await recall(started.store, conversation, asked);
      if (recalled === undefined) return EXIT["not-found"];
      display.recalled(recalled);
      return asked.because === "duplicate" ? EXIT_OF[recalled.outcome] : EXIT.ok;
    },
    moveTo(next) {
      conversation = next;
      isWaiting = false;
      isTold = false;
    },
    close: () => close(context, started, conversation),
  };
}

/** The model that was chosen for it when it began, if one was. */
function ownModel(card: ConversationCard): string | undefined {
  const own = card.sessions.at(-1)?.settings["model"];
  return typeof own === "string" ? own : undefined;
}

async function runTurns(
  { context, started, display }: ChatParts,
  conversation: ConversationId,
  ask: Ask | undefined,
): Promise<readonly TurnReport[]> {
  const interrupt = new AbortController();
  const release = context.takeInterrupts(() => {
    display.interrupting();
    interrupt.abort(new Error("interrupted"));
  }, CHAT_GRACE_MS);
  try {
    display.running();
    return await started.runtime.run(conversation, {
      platform: CLI_PLATFORM,
      isAsked: true,
      onGlimpse: (glimpse) => display.glimpse(glimpse),
      ...(ask === undefined ? {} : { ask }),
      interrupt: interrupt.signal,
    });
  } finally {
    release();
  }
}

/** After everything was shown: the opening is closed unless its turn is open, then what can wait is done for a moment, quietly. */
async function close(
  context: CliContext,
  { store, runtime, finish }: StartedRuntime,
  conversation: ConversationId | undefined,
): Promise<void> {
  const { clock } = context;
  const card = conversation === undefined ? null : await store.show({ conversation });
  if (conversation !== undefined && card?.liveTurn === null) {
    await store.end({ conversation, actor: { platform: CLI_PLATFORM }, reason: "cli_close", nowMs: clock.nowMs() });
  }
  const patience = new AbortController();
  const release = context.takeInterrupts(() => patience.abort(), CHAT_GRACE_MS);
  const forget = clock.after(JOBS_PATIENCE_MS, () => patience.abort());
  try {
    await runtime.runJobs(AbortSignal.any([patience.signal, context.signal]));
  } finally {
    forget();
    release();
    await finish();
  }
}

export function exitCodeOf(reports: readonly TurnReport[]): ExitCode {
  const last = reports.at(-1);
  return last === undefined ? EXIT.ok : EXIT_OF[last.outcome];
}

const EXIT_OF: Readonly<Record<TurnReport["outcome"], ExitCode>> = {
  completed: EXIT.ok,
  failed: EXIT.failed,
  "interrupted-by-crash": EXIT.failed,
  "interrupted-by-user": EXIT.interrupted,
  waiting: EXIT.waiting,
};

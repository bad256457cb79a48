/**
 * Questions that stand in chats. Once one is decided, wherever that was done, its messages lose their buttons and say what
 * was decided and by whom. A courtesy: tried a few times and lost with the process; nothing waits for it, and nothing is
 * ever sent for it.
 */
import type { Clock } from "#base/clock.js";
import { untilAborted, withDeadline } from "#base/deadline.js";
import type { ApprovalId, ConversationId, DeliveryId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { SendOutcome } from "#platform/platform.js";
import type { Live, NumberedEvents, Watcher } from "#runtime/live/port.js";
import type { SessionStore } from "#session/store.js";
import type { QuestionMessage } from "#session/verbs/chat.js";
import type { AccountLine } from "./account-line.js";
import { placeOf } from "./address.js";
import { type DecidedQuestion, decidedText } from "./decided-words.js";

/** Conversations that are watched for an answer; the one that has waited longest is left when there are more. */
export const ASKED_MAX = 1_000;
/** Messages that are being changed at once; beyond these the buttons stay. */
export const CHANGES_MAX = 100;
/** Before each try: the message may still be on its way, or its platform down. */
export const TRY_AFTER_MS = [0, 1_000, 5_000, 30_000, 120_000] as const;
const EDIT_LIMIT_MS = 10_000;

export interface AskedParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
  lines(): readonly AccountLine[];
}

export interface Asked {
  /** A turn asks this: what becomes of it is watched. */
  stands(conversation: ConversationId, approval: ApprovalId): void;
  /** Perhaps it is decided: then its message says so. */
  look(approval: ApprovalId): void;
  /** Those that earlier hosts asked. */
  recover(): Promise<void>;
  stop(): void;
}

export function createAsked(live: Live, parts: AskedParts): Asked {
  const watches = new Map<ConversationId, Watch>();
  const changes = new Set<ApprovalId>();
  /** Of this host: a button that somebody still sees and presses costs no second change. */
  const changed = new Set<ApprovalId>();
  const ending = new AbortController();
  const leave = (conversation: ConversationId): void => {
    const watch = watches.get(conversation);
    watches.delete(conversation);
    if (watch !== undefined) live.unwatch(conversation, watch);
  };
  const look = (approval: ApprovalId): void => {
    if (ending.signal.aborted || changed.has(approval) || changes.has(approval)) return;
    if (changes.size >= CHANGES_MAX) return;
    changes.add(approval);
    void showDecided(parts, approval, ending.signal)
      .then((isChanged) => {
        if (changed.size >= ASKED_MAX) changed.clear();
        if (isChanged) changed.add(approval);
      })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        if (!ending.signal.aborted) parts.log.warn("an answered question keeps its buttons", { approval, why });
      })
      .finally(() => changes.delete(approval));
  };
  const stands = (conversation: ConversationId, approval: ApprovalId): void => {
    const known = watches.get(conversation);
    if (known !== undefined) {
      known.approvals.add(approval);
      return;
    }
    const [oldest] = watches.keys();
    if (watches.size >= ASKED_MAX && oldest !== undefined) leave(oldest);
    const watch = new Watch(look, () => leave(conversation));
    watch.approvals.add(approval);
    watches.set(conversation, watch);
    live.follow(conversation, watch);
  };
  return {
    stands,
    look,
    async recover() {
      const open = await parts.store.openTurns({ limit: ASKED_MAX });
      for (const { conversation, approvals } of open) {
        for (const { id, answer } of approvals) if (answer === null) stands(conversation, id);
      }
    },
    stop() {
      ending.abort(new Error("the gateway stops"));
      for (const conversation of [...watches.keys()]) leave(conversation);
    },
  };
}

/** The open questions of one conversation. */
class Watch implements Watcher {
  readonly approvals = new Set<ApprovalId>();

  constructor(
    private readonly look: (approval: ApprovalId) => void,
    private readonly onRest: () => void,
  ) {}

  event({ event }: NumberedEvents[number]): void {
    if (event.type === "answered") this.#over([event.approval]);
    // Nobody can answer any more what a turn asked that is over.
    else if (event.type === "turn-ended" && event.report.outcome !== "waiting") this.#over([...this.approvals]);
  }

  #over(approvals: readonly ApprovalId[]): void {
    for (const approval of approvals) if (this.approvals.delete(approval)) this.look(approval);
    if (this.approvals.size === 0) this.onRest();
  }
}

/** False while it is open, and where there is nothing to change. */
async function showDecided(parts: AskedParts, approval: ApprovalId, signal: AbortSignal): Promise<boolean> {
  const [over, failed] = [new Set<DeliveryId>(), new Map<DeliveryId, string>()];
  for (const afterMs of TRY_AFTER_MS) {
    if (afterMs > 0) await parts.clock.sleep(afterMs, signal);
    const standing = await parts.store.questionStanding({ approval });
    if (standing.kind !== "decided") return false;
    const left = standing.messages.filter(({ delivery }) => !over.has(delivery));
    const outcomes = await Promise.all(left.map((message) => change(parts, standing, { message, signal })));
    for (const [at, { delivery }] of left.entries()) {
      const outcome = outcomes[at];
      const isDone = outcome === undefined || outcome.kind === "sent";
      if (isDone) failed.delete(delivery);
      else failed.set(delivery, outcome.why);
      if (isDone || outcome.kind === "refused") over.add(delivery);
    }
    if (over.size === standing.messages.length) break;
  }
  const [why] = failed.values();
  if (why !== undefined) throw new Error(why);
  return true;
}

interface Change {
  readonly message: QuestionMessage;
  readonly signal: AbortSignal;
}

/** Undefined where messages cannot be changed. Doing it twice does no harm, so an unknown outcome is tried again. */
async function change(
  { clock, lines }: AskedParts,
  decided: DecidedQuestion,
  { message, signal }: Change,
): Promise<SendOutcome | undefined> {
  const { address, delivery, receipt } = message;
  if (receipt === null) return { kind: "unknown", why: "its message is not sent yet" };
  const line = lines().find(
    ({ account }) => account.kind.name === address.platform && account.name === (address.account ?? "main"),
  );
  if (line === undefined) return undefined;
  const platform = line.platform();
  if (platform === undefined) return { kind: "unknown", why: "the platform is down" };
  if (platform.edit === undefined) return undefined;
  if (line.pace.room() < 1) return { kind: "unknown", why: "the platform is busy" };
  line.pace.take(1);
  const text = decidedText(decided, message, { isIdempotent: line.account.kind.isIdempotent === true });
  const outgoing = { id: delivery, place: placeOf(address), text };
  return withDeadline({ clock, timeMs: EDIT_LIMIT_MS, signal }, async (limited) => {
    const editing = platform.edit?.(outgoing.place, receipt, outgoing, limited);
    const outcome = editing === undefined ? undefined : await untilAborted(editing, limited);
    if (outcome?.kind === "retry" && outcome.scope === "platform") line.pace.pause(outcome.afterMs);
    return outcome;
  });
}

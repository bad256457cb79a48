/**
 * The live side of a host; see `port.ts` for what it promises. It keeps one object per conversation that works, waits
 * or is watched, and forgets those that do none of it; nothing in here has to survive a death.
 */
import type { Question } from "#agent/glimpse.js";
import type { Clock } from "#base/clock.js";
import type { ApprovalId, ConversationId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import { HOME_OWNER } from "#session/person.js";
import type { SessionStore } from "#session/store.js";
import type { Runtime } from "../runtime.js";
import { glimpsesTo, LiveConversation, type Shared } from "./conversation.js";
import { pictureOf } from "./picture.js";
import type { Live, LiveState } from "./port.js";
import { createSlots } from "./slots.js";

/** Turns that run at once in one host; the others wait in line. */
export const TURNS_AT_ONCE = 64;
/** Conversations whose last events are kept for whoever comes back, though nothing happens in them. */
export const RESTING_MAX = 200;
/** Open turns and queued inputs that are looked at when a host starts. */
export const RECOVERED_MAX = 10_000;
/** Room for this many events of one host under its epoch. */
const EVENTS_PER_EPOCH = 2 ** 32;
const QUEUE_LOOKED_AT = 1_000;

export interface LiveParts {
  readonly runtime: Runtime;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of this host, above all earlier ones: numbers of events grow over restarts. */
  readonly epoch: number;
  /** Something is broken that must not go on. */
  onBug(error: unknown): void;
  /** There may be background work now: a title, a hook. */
  onTurnEnded?(conversation: ConversationId): void;
}

export function createLive(parts: LiveParts): Live {
  const { store, runtime, clock } = parts;
  const crowd = createCrowd(parts);
  const { at, known, state } = crowd;
  return {
    async say(inbound) {
      const admission = await store.admit(inbound);
      if (admission.kind !== "admitted" && admission.kind !== "duplicate") return admission;
      const one = at(admission.conversation);
      const isBusy = one.state() !== "idle";
      if (admission.kind === "admitted" && inbound.mode === "interrupt") one.interrupt(admission.input);
      one.wake(true);
      if (isBusy) await tellQueue(store, one);
      return admission;
    },
    wake: (id, isAsked) => at(id).wake(isAsked),
    rest: async (id) => known.get(id)?.rest(),
    state,
    async interrupt(id) {
      const one = at(id);
      if (one.isRunning()) return one.interrupt();
      if ((await state(id)) === "idle") return false;
      await one.cancel();
      return true;
    },
    async answer(id, { approval: wanted, answer, reply, by = HOME_OWNER }) {
      const approval = wanted ?? (await crowd.oldestQuestion(id));
      if (approval === undefined) return { kind: "unknown" };
      const words = reply === undefined ? {} : { reply };
      const decision = await store.decideApproval({ approval, answer, ...words, by, nowMs: clock.nowMs() });
      if (!("answer" in decision)) return decision;
      const { questions } = at(id);
      // Told once: by whoever decided, or here when that was done past this host.
      const isNews = decision.kind === "decided" || questions.isOpen(approval);
      // Whoever waits for it here takes it; a turn that waits in the store alone is continued.
      const isTaken = isNews && questions.answered(approval, { answer: decision.answer, ...words, by });
      if (!isTaken) at(id).wake(true);
      return decision;
    },
    compact(id, { focus }) {
      const face = { platform: "host", isAsked: true, onGlimpse: glimpsesTo(at(id).feed) };
      return runtime.compact(id, { ...(focus === undefined ? {} : { focus }), face });
    },
    tell: (id, event) => at(id).feed.publish(event),
    ...createWatching(parts, crowd),
    active: () =>
      [...known.values()].flatMap((one) => {
        const now = one.state();
        return now === "idle" ? [] : [{ conversation: one.id, state: now }];
      }),
    async recover() {
      const open = await store.openTurns({ limit: RECOVERED_MAX });
      const cut = open.filter(({ phase }) => phase === "running").map(({ conversation }) => conversation);
      const queued = await store.unclaimed({ limit: RECOVERED_MAX });
      for (const id of [...cut, ...queued]) at(id).wake(false);
      return { woken: cut.length + queued.length, waiting: open.length - cut.length };
    },
    stop: (drainMs) => crowd.stop(drainMs),
  };
}

type Watching = Pick<Live, "watch" | "watchSince" | "since" | "picture" | "follow" | "unwatch" | "watchers">;

function createWatching({ store }: LiveParts, { at, known, state }: Crowd): Watching {
  return {
    async watch(id, watcher) {
      const one = at(id);
      if ((await state(id)) === "waiting") await rememberQuestions(store, one);
      const picture = await pictureOf(store, one);
      // In the same breath as the last look at the feed: no event falls between the picture and the watcher.
      one.feed.watch(watcher);
      tellPresence(one);
      return picture;
    },
    watchSince(id, after, watcher) {
      const one = at(id);
      const missed = one.feed.since(after);
      if (missed === undefined) return { kind: "lost" };
      one.feed.watch(watcher);
      tellPresence(one);
      return { kind: "caught-up", missed };
    },
    since: (id, after) => known.get(id)?.feed.since(after),
    picture: (id) => pictureOf(store, at(id)),
    follow(id, watcher) {
      const one = at(id);
      one.feed.watch(watcher);
      tellPresence(one);
    },
    unwatch(id, watcher) {
      const one = known.get(id);
      if (one?.feed.unwatch(watcher) === true) tellPresence(one);
    },
    watchers: (id) => known.get(id)?.feed.watchers() ?? 0,
  };
}

type Crowd = ReturnType<typeof createCrowd>;

/** Everybody who is here. */
function createCrowd(parts: LiveParts) {
  const { store, clock } = parts;
  const known = new Map<ConversationId, LiveConversation>();
  let count = parts.epoch * EVENTS_PER_EPOCH;
  let isStopping = false;
  const forgetSome = (): void => {
    for (const [id, one] of known) {
      if (known.size <= RESTING_MAX) return;
      if (one.state() === "idle" && one.feed.watchers() === 0) known.delete(id);
    }
  };
  const shared: Shared = {
    ...parts,
    slots: createSlots(TURNS_AT_ONCE),
    nextSeq: () => ++count,
    isStopping: () => isStopping,
    onRest: forgetSome,
  };
  return {
    known,
    at(id: ConversationId): LiveConversation {
      const one = known.get(id) ?? new LiveConversation(id, shared);
      known.set(id, one);
      return one;
    },
    async state(id: ConversationId): Promise<LiveState> {
      const one = known.get(id);
      const certain = one === undefined ? "idle" : one.certainState();
      if (certain === "working" || certain === "waiting") return certain;
      // A run that only makes sure that nothing is left is no work: the end of a turn was told, and the next message is
      // welcome. The queue is read first: what is taken from it between the two readings is found as a turn.
      if (certain === undefined && (await store.queue({ conversation: id, limit: 1 })).length > 0) return "working";
      const [open] = await store.openTurns({ limit: 1, conversation: id });
      return open === undefined ? "idle" : open.phase === "waiting" ? "waiting" : "working";
    },
    async oldestQuestion(id: ConversationId): Promise<ApprovalId | undefined> {
      const here = known.get(id)?.questions.oldest();
      if (here !== undefined) return here;
      const [open] = await store.openTurns({ limit: 1, conversation: id });
      return open?.approvals.find(({ answer }) => answer === null)?.id;
    },
    async stop(drainMs: number): Promise<void> {
      isStopping = true;
      for (const one of known.values()) one.questions.release();
      const ended = Promise.all([...known.values()].map((one) => one.rest()));
      await Promise.race([ended, clock.sleep(drainMs)]);
    },
  };
}

/** After a restart nobody in memory asks: the rows do. */
async function rememberQuestions(store: SessionStore, { id, questions }: LiveConversation): Promise<void> {
  if (questions.oldest() !== undefined) return;
  const [open] = await store.openTurns({ limit: 1, conversation: id });
  for (const { id: approval, question, answer } of open?.approvals ?? []) {
    if (answer === null) questions.remember(approval, question as unknown as Question);
  }
}

async function tellQueue(store: SessionStore, { id, feed }: LiveConversation): Promise<void> {
  const queue = await store.queue({ conversation: id, limit: QUEUE_LOOKED_AT });
  feed.publish({ type: "queue-changed", queued: queue.length });
}

function tellPresence({ feed }: LiveConversation): void {
  feed.publish({ type: "presence", watchers: feed.watchers() });
}

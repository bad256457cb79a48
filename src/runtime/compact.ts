import { type Composition, compose, type SummaryText } from "#agent/compaction/compose.js";
import { localSummary } from "#agent/compaction/fallback.js";
import { type CompactionPlan, planCompaction } from "#agent/compaction/plan.js";
import { summaryBudget, type Threshold, thresholdFor } from "#agent/compaction/threshold.js";
import { weigh } from "#agent/compaction/weigh.js";
import type { RoomNeed, TurnParts } from "#agent/turn-parts.js";
import { faultPoint } from "#base/fault.js";
import type { ConversationId, SessionId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import type { TipHistory } from "#session/verbs/reading.js";
import type { Engine } from "./engine.js";
import type { Face } from "./face.js";
import { summarise } from "./summarise.js";

/** Tools whose newest result is carried along, because they remember by it. */
const REMEMBERED_TOOLS = ["todo"] as const;
/** Thinning alone will do when it leaves at most this share of the threshold: no model need be asked. */
const THIN_ENOUGH_SHARE = 0.6;
/** A provider that refused a request has a smaller window than we believed. */
const REFUSED_SHARE = 0.7;

export function thresholdOf(engine: Engine, need: RoomNeed, at: { tokens: number; auxiliary: Model }): Threshold {
  const { compression } = engine.settings;
  const { model } = need;
  const windowTokens =
    need.kind === "refused" ? Math.min(model.windowTokens, Math.floor(at.tokens * REFUSED_SHARE)) : model.windowTokens;
  const auxiliaryWindowTokens = at.auxiliary.label === model.label ? undefined : at.auxiliary.windowTokens;
  return thresholdFor(
    { windowTokens, outputTokensMax: Math.min(model.outputTokensMax, windowTokens / 4), auxiliaryWindowTokens },
    { share: compression.threshold, tailShare: compression.targetRatio },
  );
}

export type CompactionReport =
  | {
      readonly kind: "compacted";
      readonly session: SessionId;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** Made without a model, because none could be asked. */
      readonly isLocal: boolean;
    }
  /** There is nothing to summarise, or nothing would be gained [CR-5]. */
  | { readonly kind: "nothing" }
  /** No summary could be made; everything is as it was. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Something was said, undone or reset meanwhile; that wins [CR-6]. */
  | { readonly kind: "stale" }
  | { readonly kind: "busy" };

/** A person's `/compact`. */
export async function compactNow(
  engine: Engine,
  conversation: ConversationId,
  { focus, face }: { readonly focus?: string; readonly face: Face },
): Promise<CompactionReport> {
  const card = await engine.store.show({ conversation });
  if (card === null) return { kind: "nothing" };
  if (card.liveTurn !== null) return { kind: "busy" };
  // A conversation that was closed is opened by whoever works on it; a closed one would win over the result [CR-6].
  await engine.store.resume({ actor: { platform: face.platform }, to: conversation, nowMs: engine.clock.nowMs() });
  const models = await engine.models({ model: card.model, settings: card.sessions.at(-1)?.settings ?? {} });
  const history = await engine.histories.read(conversation);
  const tokens = weigh(history.messages);
  const need: RoomNeed = { kind: "before-request", model: models.main[0], promptTokens: undefined };
  const usual = thresholdOf(engine, need, { tokens, auxiliary: models.auxiliary[0] });
  // Asked for by a person, it does something below the threshold too.
  const threshold = { ...usual, tailTokens: Math.min(usual.tailTokens, Math.floor(tokens / 4)) };
  return compact(engine, {
    conversation,
    history,
    threshold,
    auxiliary: models.auxiliary,
    isNeeded: false,
    isThinningEnough: false,
    focus,
    signal: face.interrupt ?? new AbortController().signal,
    glimpse: (glimpse) => face.onGlimpse?.(glimpse),
    spendAside: () => undefined,
  });
}

export interface CompactionWish extends Pick<TurnParts, "conversation" | "glimpse" | "signal" | "spendAside"> {
  readonly auxiliary: readonly [Model, ...Model[]];
  readonly history: TipHistory;
  readonly threshold: Threshold;
  /** It has to fit: without a model's summary a local one is made. */
  readonly isNeeded: boolean;
  readonly isThinningEnough?: boolean;
  readonly focus?: string | undefined;
}

export async function compact(engine: Engine, wish: CompactionWish): Promise<CompactionReport> {
  const { history, threshold } = wish;
  const { protectFirst, protectLast } = engine.settings.compression;
  const plan = planCompaction(history.messages, { tailTokens: threshold.tailTokens, protectFirst, protectLast });
  if (plan.kind === "nothing") return { kind: "nothing" };
  const thin = compose(history.messages, plan, undefined, REMEMBERED_TOOLS);
  if (plan.kind === "trim" || (wish.isThinningEnough !== false && isThinEnough(thin, threshold))) {
    return commit(engine, wish, thin, false);
  }
  const summary = await summaryOf(engine, wish, plan);
  if (summary.kind === "failed") return summary;
  faultPoint("compact.summary-ready");
  return commit(engine, wish, compose(history.messages, plan, summary, REMEMBERED_TOOLS), summary.isLocal);
}

function isThinEnough(thin: Composition, threshold: Threshold): boolean {
  return thin.kind === "composed" && thin.tokensAfter <= threshold.tokens * THIN_ENOUGH_SHARE;
}

async function summaryOf(
  engine: Engine,
  wish: CompactionWish,
  plan: Extract<CompactionPlan, { kind: "summarise" }>,
): Promise<({ readonly kind: "made" } & SummaryText) | { readonly kind: "failed"; readonly reason: string }> {
  const { auxiliary, signal, focus, threshold } = wish;
  const budgetTokens = summaryBudget(weigh(plan.middle), threshold.summaryTokensMax);
  const made = await summarise(
    { models: auxiliary, clock: engine.clock, signal, spend: wish.spendAside },
    { middle: plan.middle, tail: plan.tail, focus, budgetTokens },
  );
  if (made.kind === "made") return { kind: "made", text: made.text, isLocal: false };
  engine.log.warn("no summary could be made", { conversation: wish.conversation, reason: made.reason });
  if (!wish.isNeeded || signal.aborted) return made;
  wish.glimpse({ type: "notice", text: `No model could summarise (${made.reason}); a plain list stands in.` });
  return { kind: "made", text: localSummary(plan.middle), isLocal: true };
}

async function commit(
  engine: Engine,
  { conversation, history, glimpse }: CompactionWish,
  composition: Composition,
  isLocal: boolean,
): Promise<CompactionReport> {
  if (composition.kind === "no-gain") return { kind: "nothing" };
  const { messages, tokensBefore, tokensAfter } = composition;
  const { tip, seq, undone } = history;
  const nowMs = engine.clock.nowMs();
  const rotated = await engine.store.rotate({
    conversation,
    tip,
    seq,
    undone,
    messages,
    tokensBefore,
    tokensAfter,
    nowMs,
  });
  faultPoint("compact.rotated");
  if (rotated.kind === "stale") return { kind: "stale" };
  if (rotated.kind === "no-gain") return { kind: "nothing" };
  const { session } = rotated;
  glimpse({ type: "compacted", session, tokensBefore, tokensAfter });
  return { kind: "compacted", session, tokensBefore, tokensAfter, isLocal };
}

/** A turn's way to a smaller context [CR-5]: when to compact, how often, and when to leave it. */
import { judgeTiming, type Pass, type PassRecord, recordPass } from "#agent/compaction/antithrash.js";
import { buildRequest } from "#agent/request.js";
import { calibrate, estimateTokens } from "#agent/tokens.js";
import type { TurnParts } from "#agent/turn-parts.js";
import type { ConversationId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import type { TipHistory } from "#session/verbs/reading.js";
import { type CompactionReport, compact, thresholdOf } from "./compact.js";
import type { Engine } from "./engine.js";

type RoomParts = Pick<
  TurnParts,
  "conversation" | "journal" | "system" | "toolset" | "glimpse" | "signal" | "spendAside"
> & { readonly auxiliary: readonly [Model, ...Model[]] };

/** The turn's way to a smaller context; at most a few passes a turn, and none that would change nothing [CR-5]. */
export function createRoomMaker(engine: Engine, parts: RoomParts): TurnParts["makeRoom"] {
  let wasted = 0;
  let estimated = 0;
  const estimate = (model: Model, { messages }: TipHistory): number =>
    estimateTokens(buildRequest(parts, model, messages, { isLast: false, isPlain: false }));
  return async (need) => {
    const { model } = need;
    const history = await parts.journal.history();
    const rough = estimate(model, history);
    const ratio = need.kind === "before-request" ? calibrate(estimated, need.promptTokens) : 1;
    estimated = rough;
    const tokens = Math.ceil(rough * ratio);
    const threshold = thresholdOf(engine, need, { tokens, auxiliary: parts.auxiliary[0] });
    if (!engine.settings.compression.isEnabled || wasted >= WASTED_PER_TURN_MAX) return { isSmaller: false, history };
    const now = { model: model.label, tokens, threshold: threshold.tokens };
    const record = engine.passes.get(parts.conversation);
    if (need.kind === "before-request" && judgeTiming(record, now) !== "compact") return { isSmaller: false, history };
    parts.glimpse({ type: "compacting", tokens });
    const isNeeded = need.kind === "refused" || tokens >= model.windowTokens;
    const outcome = await compact(engine, { ...parts, history, threshold, isNeeded });
    const passed = recordPass(record, model.label, passOf(outcome, tokens));
    remember(engine, parts.conversation, passed);
    // A long turn may be compacted as often as that helps.
    wasted = outcome.kind === "compacted" && passed.wasted === 0 ? 0 : wasted + 1;
    const isSmaller = outcome.kind === "compacted";
    const left = await parts.journal.history();
    if (isSmaller) estimated = estimate(model, left);
    return { isSmaller, history: left };
  };
}

/** Passes in a row that gained little, after which this turn tries no more. */
const WASTED_PER_TURN_MAX = 3;

/** The least recent goes first: what is forgotten costs one futile pass. */
function remember({ passes }: Engine, conversation: ConversationId, record: PassRecord): void {
  passes.delete(conversation);
  passes.set(conversation, record);
  const [oldest] = passes.keys();
  if (passes.size > REMEMBERED_MAX && oldest !== undefined) passes.delete(oldest);
}

const REMEMBERED_MAX = 1_000;

function passOf(outcome: CompactionReport, tokens: number): Pass {
  return outcome.kind === "compacted" ? outcome : { kind: "futile", tokens };
}

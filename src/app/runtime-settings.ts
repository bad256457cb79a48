/** The runtime's settings from the person's: the one place where the two kinds of names meet. */
import type { Config } from "#config/schema.js";
import type { RuntimeSettings } from "#runtime/parts.js";

export function runtimeSettings(
  { agent, compression, budget, approvals, titles }: Config,
  isYolo: boolean,
): RuntimeSettings {
  return {
    stepsMax: agent.steps_max,
    retriesMax: agent.retries_max,
    retryWaitMaxMs: agent.retry_wait_max_s * 1000,
    isYolo: isYolo || approvals.mode === "yolo",
    isTitling: titles.auto,
    compression: {
      isEnabled: compression.enabled,
      threshold: compression.threshold,
      targetRatio: compression.target_ratio,
      protectFirst: compression.protect_first,
      protectLast: compression.protect_last,
    },
    budget: {
      turnTokens: budget.turn_tokens,
      turnUsd: budget.turn_usd,
      dayTokens: budget.day_tokens,
      dayUsd: budget.day_usd,
    },
  };
}

/** Builds a model from what a person chose: its package, its limits, what the catalogue knows of it. */
import type { Clock } from "#base/clock.js";
import { randomIds } from "#base/ids.js";
import { catalogueEntry } from "./catalogue.js";
import { createDemoModel } from "./demo.js";
import { baseUrlOf, ENDPOINTS, shownUrl } from "./endpoints.js";
import { withoutSecrets } from "./failure/failure.js";
import { STEP_LIMITS, type StepLimits } from "./limits.js";
import type { Model, ModelSpec } from "./model.js";
import { wantsPlainReasoning } from "./opaque.js";
import { toCallOptions } from "./prompt/sdk-prompt.js";
import { loadAdapter } from "./sdk-adapter.js";
import { runStep } from "./stream/step.js";
import { type Fetch, routedFetch } from "./stream/step-fetch.js";

export interface CreateModelOptions {
  readonly clock: Clock;
  /** Every byte goes through it. */
  readonly fetch?: Fetch;
  readonly limits?: Partial<StepLimits>;
  /** For calls that come without an id. */
  readonly newId?: () => string;
}

/** Rejects only for a person's mistake (`UserError`); whether the provider answers is found out by a step. */
export async function createModel(spec: ModelSpec, options: CreateModelOptions): Promise<Model> {
  if (spec.provider === "demo") return createDemoModel(options.clock);
  // Looked up for each request: a test, or a proxy, may replace the global one after this.
  const line = routedFetch((input, init) => (options.fetch ?? globalThis.fetch)(input, { ...init, ...NOT_ELSEWHERE }));
  const adapter = await loadAdapter(spec, line.fetch);
  const { clock, newId = () => randomIds<string>() } = options;
  const known = catalogueEntry(spec);
  const { dialect } = ENDPOINTS[spec.provider];
  const limits = { ...STEP_LIMITS, ...options.limits };
  const rules = {
    dialect,
    keepsPlainReasoning: wantsPlainReasoning(spec.name),
    price: known.price,
    newId,
    nowMs: () => clock.nowMs(),
  };
  const target = { provider: spec.provider, name: spec.name, dialect, outputTokensMax: known.outputTokensMax };
  return {
    label: `${spec.provider}/${spec.name}`,
    provider: spec.provider,
    name: spec.name,
    origin: originOf(spec),
    dialect,
    isDemo: false,
    ...known,
    step: async (request, watch) => {
      const plan = { adapter, line, options: toCallOptions(request, target), rules, limits, clock };
      const outcome = await runStep(plan, watch);
      return outcome.kind === "failed" ? { ...outcome, failure: withoutSecrets(outcome.failure, spec) } : outcome;
    },
  };
}

/** A key and a conversation are not carried to wherever a redirect points. */
const NOT_ELSEWHERE = { redirect: "error" } as const;

/** One deployment: its private parts go back to it and to no other. */
export function originOf(spec: ModelSpec): string {
  return `${spec.provider}|${shownUrl(baseUrlOf(spec) ?? "")}|${spec.name}`;
}

/** A choice of models as people and programs see it: everything but the secrets. */
import { catalogueEntry } from "#model/catalogue.js";
import { DEMO_WINDOW_TOKENS } from "#model/demo.js";
import { baseUrlOf, shownUrl } from "#model/endpoints.js";
import type { ModelSpec, Price } from "#model/model.js";
import type { SpecSources } from "./model-spec.js";
import type { ModelChoice } from "./models.js";

export interface ModelView {
  /** `provider/name`. */
  readonly label: string;
  readonly provider: string;
  readonly isDemo: boolean;
  readonly address: string | undefined;
  readonly addressFrom: string | undefined;
  /** `OPENAI_API_KEY in the environment`; undefined: it has none. */
  readonly keyFrom: string | undefined;
  readonly windowTokens: number;
  /** False: the window is a guess. */
  readonly isWindowKnown: boolean;
  readonly outputTokensMax: number;
  /** Dollars per million tokens; undefined: unknown. */
  readonly price: Price | undefined;
}

export interface ChoiceView {
  readonly model: ModelView;
  readonly origin: string;
  readonly fallbacks: readonly ModelView[];
  readonly auxiliary: readonly ModelView[];
  readonly auxiliaryOrigin: string;
  readonly notes: readonly string[];
}

export function viewChoice(choice: ModelChoice): ChoiceView {
  const view = (spec: ModelSpec): ModelView => viewModel(spec, choice.sources.get(spec) ?? {});
  const [first, ...fallbacks] = choice.main;
  return {
    model: view(first),
    origin: choice.origin,
    fallbacks: fallbacks.map(view),
    auxiliary: choice.auxiliary.map(view),
    auxiliaryOrigin: choice.auxiliaryOrigin,
    notes: choice.notes,
  };
}

function viewModel(spec: ModelSpec, sources: SpecSources): ModelView {
  const isDemo = spec.provider === "demo";
  const { windowTokens, isWindowKnown, outputTokensMax, price } = isDemo ? DEMO : catalogueEntry(spec);
  const address = isDemo ? undefined : baseUrlOf(spec);
  return {
    label: `${spec.provider}/${spec.name}`,
    provider: spec.provider,
    isDemo,
    address: address === undefined ? undefined : shownUrl(address),
    addressFrom: sources.address,
    keyFrom: sources.key,
    windowTokens,
    isWindowKnown,
    outputTokensMax,
    price,
  };
}

const DEMO = {
  windowTokens: DEMO_WINDOW_TOKENS,
  isWindowKnown: true,
  outputTokensMax: DEMO_WINDOW_TOKENS,
  price: { input: 0, output: 0 },
};

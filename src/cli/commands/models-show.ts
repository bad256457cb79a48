/** `talaria models` without more: a card, and with `--test` an answer. */
import { existsSync } from "node:fs";
import type { Trial } from "#app/model-trial.js";
import type { ChoiceView, ModelView } from "#app/model-view.js";
import type { ModelChoice } from "#app/models.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { formatCount } from "../format.js";
import { otherVariablesText } from "../other-variables.js";
import { wrapText } from "./sessions-wrap.js";

export async function showModels(
  context: CliContext,
  { label, isTested }: { readonly label?: string; readonly isTested: boolean },
): Promise<void> {
  const [{ chooseModels }, { viewChoice }] = await Promise.all([
    import("#app/models.js"),
    import("#app/model-view.js"),
  ]);
  const choice = chooseModels(await context.config(), context.env, label);
  const view = viewChoice(choice);
  const others = await hostVariables(context);
  if (!context.out.json) for (const line of card(view, context.out)) context.out.line(line);
  if (others.length > 0) context.out.warn(otherVariablesText(others));
  const trial = isTested ? await tried(context, choice.main[0]) : undefined;
  if (context.out.json) context.out.document(choiceDocument(view, trial));
  else if (trial?.kind === "answered") context.out.line(answerLine(trial, view.model.label, context.out));
  if (trial?.kind === "failed") throw new UserError(`${view.model.label}: ${trial.message}`, trial.advice);
}

/** This card is about this shell; a host that runs may have been started from another one. */
async function hostVariables(context: CliContext): Promise<readonly string[]> {
  if (!existsSync(context.home.hostSocket)) return [];
  const { findHost } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  if (found.kind !== "answers") return [];
  found.greeted.line.close();
  return found.greeted.hello.other_variables ?? [];
}

async function tried(context: CliContext, spec: ModelChoice["main"][0]): Promise<Trial> {
  const { tryModel } = await import("#app/model-trial.js");
  context.out.note(context.out.paint.dim(`asking ${spec.provider}/${visible(spec.name)} …`));
  return tryModel(spec, { clock: context.clock, signal: context.signal });
}

export function answerLine(trial: Extract<Trial, { kind: "answered" }>, label: string, out: CliContext["out"]): string {
  const said = trial.text === "" ? "" : `: ${visible(trial.text)}`;
  return `${out.paint.green("ok")}  ${visible(label)} answered in ${formatCount(trial.tookMs)} ms${said}`;
}

const NAME_CELLS = 11;

function card(view: ChoiceView, out: CliContext["out"]): string[] {
  const row = (name: string, text: string): string[] => {
    const [first = "", ...rest] = wrapText(text, out.columns - NAME_CELLS);
    return [`${out.paint.bold(name.padEnd(NAME_CELLS))}${first}`, ...rest.map((line) => " ".repeat(NAME_CELLS) + line)];
  };
  const { model, fallbacks, auxiliary } = view;
  const [helper] = auxiliary;
  const isOwn = view.auxiliaryOrigin !== "the main model" && helper !== undefined;
  const notes = view.notes.flatMap((note) => row("Note", note));
  if (model.isDemo) {
    return [
      ...row("Model", "the demo model: scripted, offline, not an AI"),
      ...row("Why", view.origin),
      ...notes,
      "",
      ...WAYS,
    ];
  }
  return [
    ...row("Model", model.label),
    ...row("Chosen by", view.origin),
    ...row("Address", [model.address ?? "unknown", model.addressFrom].filter(Boolean).join(", from ")),
    ...row("Key", model.keyFrom ?? "none"),
    ...row("Window", windowText(model)),
    ...row("Price", priceText(model)),
    ...(fallbacks.length === 0
      ? row("Fallbacks", "none")
      : fallbacks.flatMap((one, at) => row(at === 0 ? "Fallbacks" : "", summary(one)))),
    ...row("Auxiliary", isOwn ? `${summary(helper)}, by ${view.auxiliaryOrigin}` : "the main model"),
    ...notes,
  ];
}

const WAYS = [
  "To use a real one:",
  "  talaria setup                       looks for keys and local servers, and asks",
  "  export OPENAI_API_KEY=…             or ANTHROPIC_, GEMINI_, OPENROUTER_API_KEY",
  "  talaria models use ollama/qwen3:8b  a model of your own machine",
];

function summary(model: ModelView): string {
  const window = `${formatCount(model.windowTokens)} tokens${model.isWindowKnown ? "" : " (a guess)"}`;
  const price = model.price === undefined ? "price unknown" : `$${model.price.input} in, $${model.price.output} out`;
  return `${model.label}  ${window}, ${price}`;
}

function windowText({ windowTokens, isWindowKnown, outputTokensMax }: ModelView): string {
  const answers = `answers up to ${formatCount(outputTokensMax)}`;
  if (isWindowKnown) return `${formatCount(windowTokens)} tokens, ${answers}`;
  return `unknown; ${formatCount(windowTokens)} tokens are assumed (model.context_tokens sets it), ${answers}`;
}

function priceText({ price, label }: ModelView): string {
  if (price === undefined) return `unknown; prices in config.yaml can say what ${label} costs`;
  const parts = [
    `$${price.input} in`,
    `$${price.output} out`,
    ...(price.cacheRead === undefined ? [] : [`$${price.cacheRead} from its cache`]),
    ...(price.cacheWrite === undefined ? [] : [`$${price.cacheWrite} into it`]),
  ];
  return `${parts.join(", ")}, per million tokens`;
}

function choiceDocument(view: ChoiceView, trial: Trial | undefined): object {
  return {
    model: modelDocument(view.model),
    origin: view.origin,
    fallbacks: view.fallbacks.map(modelDocument),
    auxiliary: view.auxiliary.map(modelDocument),
    auxiliaryOrigin: view.auxiliaryOrigin,
    notes: view.notes,
    ...(trial === undefined ? {} : { test: trialDocument(trial) }),
  };
}

export function trialDocument(trial: Trial): object {
  const { kind, ...rest } = trial;
  return { ok: kind === "answered", ...rest };
}

function modelDocument(model: ModelView): object {
  const { label, isDemo, address, addressFrom, keyFrom, windowTokens, isWindowKnown, outputTokensMax, price } = model;
  return {
    label,
    demo: isDemo,
    address: address ?? null,
    addressFrom: addressFrom ?? null,
    keyFrom: keyFrom ?? null,
    window: { tokens: windowTokens, known: isWindowKnown },
    outputTokensMax,
    price: price ?? null,
  };
}

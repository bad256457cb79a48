/** `/model`: which model answers, and another one for this conversation or for every new one. */
import type { ConversationId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import { tellChanged } from "../changed.js";
import { DELETED, NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import type { ModelPort } from "../ports.js";
import { count, oneLine } from "../text.js";

export const modelCommand: SlashCommand = {
  name: "model",
  aliases: [],
  category: "Configuration",
  takes: "[name]",
  arguments: "models",
  summary: "which model answers, or take another",
  details: ["It holds for this conversation from its next turn on; --global makes it that of every new one too."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context, words) {
    if (words === "") return show(context);
    if (context.models === undefined) return chosenAtStart(context, words);
    const switched = await switchModel(context, words);
    return said(switched.kind === "refused" ? switched.why : switched.told);
  },
};

export type ModelSwitch =
  | { readonly kind: "switched"; readonly label: string; readonly isGlobal: boolean; readonly told: string }
  | { readonly kind: "refused"; readonly why: string };

/** `words`: a name, `--provider P` before or after it, `--global`. Nothing is changed unless the model could be asked. */
export async function switchModel(context: SlashContext, words: string): Promise<ModelSwitch> {
  const { models, conversation, person } = context;
  if (models === undefined) return refused("The model cannot be changed here.");
  if (person.role !== "owner") return refused("Only the owner of this home chooses the model.");
  const wish = wishIn(words);
  if (typeof wish === "string") return refused(wish);
  const { isGlobal } = wish;
  if (!isGlobal && conversation === undefined) {
    return refused(`${NOTHING_YET} /model NAME --global chooses it for every new one.`);
  }
  const checked = await models.check(wish.name);
  if (checked.kind === "unusable") return refused(unusableText(checked));
  const { label } = checked;
  if (isGlobal) {
    if (models.setGlobal === undefined) return refused("The configuration cannot be changed from here.");
    await models.setGlobal(label);
  }
  const kept = conversation === undefined ? "set" : await keep(context, conversation, label);
  if (kept !== "set") return refused(DELETED);
  const told = [`${label} answers from the next turn on${isGlobal ? ", here and in every new conversation" : ""}.`];
  if (label.startsWith("demo/")) told.push("It is a scripted demo, not an AI.");
  if (checked.note !== undefined) told.push(`(${checked.note})`);
  return { kind: "switched", label, isGlobal, told: told.join(" ") };
}

function refused(why: string): ModelSwitch {
  return { kind: "refused", why };
}

function unusableText({ why, hint }: Extract<Awaited<ReturnType<ModelPort["check"]>>, { kind: "unusable" }>): string {
  return hint === undefined ? why : `${why}; ${hint}`;
}

/** Flags that other clients add and that change nothing here. */
const IGNORED_FLAGS: ReadonlySet<string> = new Set(["--session", "--refresh"]);

function wishIn(words: string): { readonly name: string; readonly isGlobal: boolean } | string {
  const names: string[] = [];
  let provider: string | undefined;
  let isGlobal = false;
  const parts = words.split(/\s+/);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? "";
    if (part === "--global") isGlobal = true;
    else if (part === "--provider") provider = parts[++at];
    else if (part.startsWith("--") && !IGNORED_FLAGS.has(part)) return `/model knows no ${oneLine(part)}.`;
    else if (!part.startsWith("--")) names.push(part);
  }
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) return "/model takes one name: PROVIDER/NAME.";
  const isWhole = provider === undefined || provider === "" || name.startsWith(`${provider}/`);
  return { name: isWhole ? name : `${provider}/${name}`, isGlobal };
}

async function keep(context: SlashContext, conversation: ConversationId, label: string): Promise<string> {
  const { kind } = await context.store.setSettings({ conversation, changes: { model: label }, model: label });
  if (kind === "set") tellChanged(context, conversation, "settings");
  return kind;
}

function chosenAtStart({ conversation }: SlashContext, words: string): SlashOutcome {
  const here = conversation === undefined ? "" : ` -r ${conversation}`;
  return said(`The model is chosen when a chat starts: talaria chat${here} --model ${words}`);
}

async function show({ store, conversation, model, models }: SlashContext): Promise<SlashOutcome> {
  const card = conversation === undefined ? null : await store.show({ conversation });
  const own = card?.model ?? null;
  const how = models === undefined ? "Another: talaria chat --model PROVIDER/NAME" : "Another: /model PROVIDER/NAME";
  if (own === null || own === model.label) return said(`${modelText(model)} ${model.isDemo ? "" : how}`.trim());
  return said(
    models === undefined ? `This conversation was begun with ${own}.` : `${own} answers here.`,
    `In a new one: ${modelText(model)} ${how}`,
  );
}

/** Everything that shows a model says when it is not one. */
export function modelText({ label, isDemo, windowTokens, isWindowKnown }: Model): string {
  if (isDemo) return `${label}: a scripted demo, not an AI. \`talaria setup\` finds a real one.`;
  return `${label}, with a window of ${count(windowTokens)} tokens${isWindowKnown ? "" : " (a guess)"}.`;
}

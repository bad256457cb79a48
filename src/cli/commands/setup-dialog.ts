/** The questions of `talaria setup`. Every one has an answer that Enter gives, as far as there can be one. */
import type { ModelPlan } from "#app/model-setup.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { formatPlural } from "../format.js";
import { openPrompts, type Prompts } from "./setup-prompts.js";
import type { SetupRun } from "./setup-run.js";

type ProviderName = ModelPlan["provider"];

/** A wrong answer is asked again this often. */
const TRIES_MAX = 5;
const MODELS_SHOWN_MAX = 12;

interface Way {
  readonly provider: ProviderName;
  readonly text: string;
  readonly address?: string;
  readonly models?: readonly string[];
  readonly isFound: boolean;
}

export async function askForPlan(run: SetupRun): Promise<ModelPlan> {
  const { context } = run;
  const prompts = openPrompts(context.signal);
  try {
    const ways = waysOf(run);
    for (const line of menu(ways, context.out)) context.out.note(line);
    const way = await choose(prompts, context, ways);
    const reached = await howToReach(run, prompts, way);
    return { ...reached, name: await askName(run, prompts, { way, reached }) };
  } finally {
    prompts.close();
  }
}

function waysOf({ findings }: SetupRun): Way[] {
  const found: Way[] = [
    ...findings.keys.map(({ provider, variable, where }) => ({
      provider,
      text: `${variable} in ${where}`,
      isFound: true,
    })),
    ...findings.servers.map(({ provider, kind, address, models }) => ({
      provider,
      text: `${kind} at ${address}, ${formatPlural(models.length, "model")}`,
      address,
      models,
      isFound: true,
    })),
  ];
  const others = OTHERS.filter(
    ({ provider }) => !found.some((way) => way.provider === provider && way.address === undefined),
  );
  return [...found, ...others];
}

const OTHERS: readonly Way[] = [
  { provider: "openai", text: "with a key from platform.openai.com", isFound: false },
  { provider: "anthropic", text: "with a key from console.anthropic.com", isFound: false },
  { provider: "google", text: "with a key from aistudio.google.com", isFound: false },
  { provider: "openrouter", text: "many makers with one key, from openrouter.ai", isFound: false },
  { provider: "openai-compatible", text: "any other server, by its address", isFound: false },
  { provider: "demo", text: "scripted, offline, not an AI", isFound: false },
];

const PROVIDER_CELLS = 19;

function menu(ways: readonly Way[], out: CliContext["out"]): string[] {
  const row = (way: Way): string =>
    `${String(ways.indexOf(way) + 1).padStart(3)}  ${way.provider.padEnd(PROVIDER_CELLS)}${visible(way.text)}`;
  const found = ways.filter(({ isFound }) => isFound);
  const others = ways.filter(({ isFound }) => !isFound);
  return [
    "",
    ...(found.length === 0 ? [] : [out.paint.bold("Found"), ...found.map(row), ""]),
    out.paint.bold(found.length === 0 ? "There are" : "There are also"),
    ...others.map(row),
    "",
  ];
}

async function choose(prompts: Prompts, context: CliContext, ways: readonly Way[]): Promise<Way> {
  return untilRight(context, async () => {
    const answer = await prompts.ask("Which one? A number or a name", "1");
    const way = ways[Number(answer) - 1] ?? ways.find(({ provider }) => provider === answer.toLowerCase());
    return way ?? `${JSON.stringify(visible(answer))} is none of them`;
  });
}

type Reached = Omit<ModelPlan, "name">;

/** Address and key, as far as they are missing. */
async function howToReach(run: SetupRun, prompts: Prompts, way: Way): Promise<Reached> {
  const { context } = run;
  const { provider, address } = way;
  if (address !== undefined) return { provider, baseUrl: address };
  if (way.isFound || provider === "demo") return { provider };
  if (provider !== "openai-compatible") {
    const key = await untilRight(context, async () => {
      const typed = await prompts.askSecret(`Key for ${provider}`);
      return isKey(typed) ? { typed } : "a key is one word without spaces";
    });
    // The key is the maker's, so it goes to the maker, wherever the configuration led so far.
    return { provider, key: key.typed, baseUrl: null };
  }
  const baseUrl = await untilRight(context, async () => {
    const typed = await prompts.ask("Address, for example http://127.0.0.1:8080/v1");
    return /^https?:\/\/[^\s/]/i.test(typed) && URL.canParse(typed)
      ? { typed }
      : "an address begins with http:// or https://";
  });
  const key = await untilRight(context, async () => {
    const typed = await prompts.askSecret("Its key, or Enter for none");
    return typed === "" || isKey(typed) ? { typed } : "a key is one word without spaces";
  });
  return { provider, baseUrl: baseUrl.typed, ...(key.typed === "" ? {} : { key: key.typed }) };
}

function isKey(text: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(text);
}

/** Proposes what the server has, which also shows early whether it can be reached. */
async function askName(
  run: SetupRun,
  prompts: Prompts,
  { way, reached }: { readonly way: Way; readonly reached: Reached },
): Promise<string> {
  const { context } = run;
  if (reached.provider === "demo") return "demo";
  const models = way.models ?? (await offered(run, reached));
  const shown = models.slice(0, MODELS_SHOWN_MAX).map((name) => `     ${visible(name)}`);
  for (const line of shown) context.out.note(line);
  if (models.length > shown.length) context.out.note(`     … and ${models.length - shown.length} more`);
  const { proposedName } = await import("#app/model-search.js");
  const proposal =
    models.length === 0 && reached.provider === "openai-compatible"
      ? undefined
      : proposedName(reached.provider, models);
  const { typed } = await untilRight(context, async () => {
    const name = await prompts.ask("Model", proposal);
    return name !== "" && !/\s/.test(name) ? { typed: name } : "a model's name is one word";
  });
  // Somebody may copy the whole label from elsewhere.
  return typed.startsWith(`${reached.provider}/`) && reached.provider !== "openrouter"
    ? typed.slice(reached.provider.length + 1)
    : typed;
}

async function offered({ context, config }: SetupRun, reached: Reached): Promise<readonly string[]> {
  const [{ specOfPlan }, { listOffered }] = await Promise.all([
    import("#app/model-setup.js"),
    import("#app/model-trial.js"),
  ]);
  const spec = specOfPlan({ ...reached, name: "" }, config, context.env);
  const offer = await listOffered(spec, { clock: context.clock, signal: context.signal });
  if (offer.kind === "listed") return offer.models.map(({ name }) => name);
  context.out.warn(`its models cannot be listed: ${offer.message}`);
  return [];
}

async function untilRight<T extends object>(context: CliContext, ask: () => Promise<T | string>): Promise<T> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const answer = await ask();
    if (typeof answer !== "string") return answer;
    context.out.note(context.out.paint.yellow(answer));
  }
  throw new UserError("that was no answer, several times", "nothing was written", 2);
}

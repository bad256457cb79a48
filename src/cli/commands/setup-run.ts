/** One way through `talaria setup`: look, decide, test, write. Nothing is written before the test. */
import type { Findings } from "#app/model-search.js";
import type { ModelPlan } from "#app/model-setup.js";
import type { Trial } from "#app/model-trial.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { LoadedConfig } from "#config/load.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { answerLine, trialDocument } from "./models-show.js";
import { undoLine, warnOfStronger } from "./models-use.js";
import type { SetupOptions } from "./setup.js";
import { tellFindings } from "./setup-findings.js";

/** What one run knows. */
export interface SetupRun {
  readonly context: CliContext;
  readonly config: LoadedConfig;
  readonly findings: Findings;
}

export async function runSetup(context: CliContext, options: SetupOptions): Promise<void> {
  const { findModels } = await import("#app/model-search.js");
  const config = await context.config();
  const hasFlags = options.provider !== undefined;
  const mayAsk =
    process.stdin.isTTY === true && process.stderr.isTTY === true && !context.out.json && options.yes !== true;
  if (!hasFlags && refersToProvider(options)) {
    throw new UserError(
      "--name, --base-url and --api-key-env need --provider",
      "for example: --provider openai",
      EXIT.usage,
    );
  }
  if (!hasFlags && !context.out.json) context.out.note("Looking for keys and local servers …");
  const findings = hasFlags ? NOTHING : await findModels(config, context.env, context.clock);
  context.signal.throwIfAborted();
  const run = { context, config, findings };
  if (hasFlags) return carryOut(run, await planByFlags(run, options), { isTested: options.test, mayAsk });
  if (options.yes === true) return carryOut(run, await planByFindings(run), { isTested: options.test, mayAsk });
  if (!mayAsk) return tellFindings(run);
  const { askForPlan } = await import("./setup-dialog.js");
  const plan = await askForPlan(run);
  return carryOut(run, plan, { isTested: options.test, mayAsk });
}

const NOTHING: Findings = { keys: [], servers: [] };

function refersToProvider({ name, baseUrl, apiKeyEnv }: SetupOptions): boolean {
  return name !== undefined || baseUrl !== undefined || apiKeyEnv !== undefined;
}

async function planByFlags(run: SetupRun, options: SetupOptions): Promise<ModelPlan> {
  const [{ planOf }, { readProvider }] = await Promise.all([
    import("#app/model-setup.js"),
    import("#app/model-label.js"),
  ]);
  const { provider: given = "", name, baseUrl, apiKeyEnv } = options;
  const reached = {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { keyVariable: apiKeyEnv }),
  };
  // Somebody may copy the whole label into the one flag.
  const isLabel = name === undefined && given.includes("/");
  const provider = isLabel ? undefined : readProvider(given);
  if (provider === "openai-compatible" && name === undefined) throw await namelessServer(run, { provider, ...reached });
  const label = provider === undefined ? given : name === undefined ? provider : `${provider}/${name}`;
  const { plan, note } = planOf(label, run.config, run.context.env);
  if (note !== undefined) run.context.out.note(`note: ${note}`);
  return { ...plan, ...reached };
}

const NAMES_SHOWN_MAX = 8;

/** A server of one's own has no usual model, but it can be asked what it has. */
async function namelessServer({ context, config }: SetupRun, reached: Omit<ModelPlan, "name">): Promise<UserError> {
  const [{ specOfPlan }, { listOffered }] = await Promise.all([
    import("#app/model-setup.js"),
    import("#app/model-trial.js"),
  ]);
  const spec = specOfPlan({ ...reached, name: "" }, config, context.env);
  const offer = await listOffered(spec, { clock: context.clock, signal: context.signal });
  const names = offer.kind === "listed" ? offer.models.map(({ name }) => name) : [];
  const more = names.length > NAMES_SHOWN_MAX ? `, and ${names.length - NAMES_SHOWN_MAX} more` : "";
  const there = names.length === 0 ? "" : `; the server has ${names.slice(0, NAMES_SHOWN_MAX).join(", ")}${more}`;
  const why = offer.kind === "failed" ? `; its models cannot be listed: ${offer.message}` : "";
  return new UserError(`${spec.provider} needs the name of a model`, `pass it: --name NAME${there}${why}`, EXIT.usage);
}

/** The first key, else the first server that has a model. */
async function planByFindings({ findings }: SetupRun): Promise<ModelPlan> {
  const { proposedName } = await import("#app/model-search.js");
  const [key] = findings.keys;
  if (key !== undefined) return { provider: key.provider, name: proposedName(key.provider, []) };
  const server = findings.servers.find(({ models }) => models.length > 0);
  if (server === undefined) {
    throw new UserError(
      "no key was found in the environment or in .env, and no local server answers",
      "set a key, for example OPENAI_API_KEY, or start Ollama; talaria setup in a terminal asks for what it needs",
    );
  }
  const { provider, address, models } = server;
  return { provider, name: proposedName(provider, models), baseUrl: address };
}

async function carryOut(
  run: SetupRun,
  plan: ModelPlan,
  { isTested, mayAsk }: { readonly isTested: boolean; readonly mayAsk: boolean },
): Promise<void> {
  const { context } = run;
  const label = `${plan.provider}/${plan.name}`;
  const trial = isTested ? await tried(run, plan) : undefined;
  if (trial?.kind === "failed") {
    const refusal = new UserError(
      `${label}: ${trial.message}`,
      `${trial.advice}\nnothing was written; --no-test writes it as it is`,
    );
    if (!mayAsk) throw refusal;
    context.out.note(`${context.out.paint.red("failed")}  ${visible(label)}: ${visible(trial.message)}`);
    context.out.note(`  ${visible(trial.advice)}`);
    if (!(await context.out.confirm("Write it anyway?", { yes: false })))
      return context.out.note("Nothing was written.");
  }
  if (trial?.kind === "answered" && !context.out.json) context.out.line(answerLine(trial, label, context.out));
  await write(run, plan, trial);
}

async function tried({ context, config }: SetupRun, plan: ModelPlan): Promise<Trial> {
  const [{ specOfPlan }, { tryModel }] = await Promise.all([
    import("#app/model-setup.js"),
    import("#app/model-trial.js"),
  ]);
  const spec = specOfPlan(plan, config, context.env);
  if (typeof plan.baseUrl === "string" && spec.baseUrl !== plan.baseUrl) {
    context.out.warn(`a variable in the environment names another address, and goes before ${plan.baseUrl}`);
  }
  context.out.note(context.out.paint.dim(`asking ${spec.provider}/${visible(spec.name)} …`));
  return tryModel(spec, { clock: context.clock, signal: context.signal });
}

async function write({ context, config }: SetupRun, plan: ModelPlan, trial: Trial | undefined): Promise<void> {
  const { writePlan } = await import("#app/model-setup.js");
  const home = context.prepareHome();
  const { outcome, previous, keptIn, keyWas } = await writePlan(plan, home);
  const label = `${plan.provider}/${plan.name}`;
  warnOfStronger(context, config, label);
  if (context.out.json) {
    context.out.document({
      model: label,
      outcome,
      config: home.config,
      previous: previous ?? null,
      keyKeptIn: keptIn ?? null,
      ...(trial === undefined ? {} : { test: trialDocument(trial) }),
    });
    return;
  }
  if (keptIn !== undefined) context.out.line(`The key is in .env as ${keptIn}, closed to others.`);
  if (outcome === "unchanged") context.out.line(`${visible(label)} was chosen already.`);
  else {
    context.out.line(`${visible(label)} is in config.yaml and used from now on.`);
    context.out.line(undoLine(home.config, previous));
  }
  if (keptIn !== undefined && keyWas !== "the same") context.out.line(undoKeyLine(home.env, keptIn, keyWas));
}

/** Old keys are not copied to a file of their own: it would be one more place to guard. */
function undoKeyLine(env: string, variable: string, keyWas: "none" | "another"): string {
  const lost = keyWas === "another" ? ", and put the one in again that it replaced" : "";
  return `Undo the key: take the line ${variable}=… out of ${visible(env)}${lost}`;
}

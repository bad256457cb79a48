/** `talaria models use`: one line into the configuration, and how to undo it. */
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { LoadedConfig } from "#config/load.js";
import type { CliContext } from "../command.js";

export async function useModel(
  context: CliContext,
  label: string,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  const [{ planOf, specOfPlan, writePlan }, { inspectConfig }] = await Promise.all([
    import("#app/model-setup.js"),
    import("#config/load.js"),
  ]);
  const before = inspectConfig(context.home, context.env);
  const { plan, note } = planOf(label, before, context.env);
  // A model that works is not given up for one that cannot be asked.
  const missing = missingFor(() => specOfPlan(plan, before, context.env));
  if (missing !== undefined && !isForced) {
    throw new UserError(missing.message, `${missing.hint ?? ""}\nnothing was written; --force writes it as it is`);
  }
  const home = context.prepareHome();
  const written = await writePlan(plan, home);
  const name = `${plan.provider}/${plan.name}`;
  if (note !== undefined) context.out.note(`note: ${note}`);
  warnOfStronger(context, inspectConfig(home, context.env), name);
  if (missing !== undefined) context.out.warn(`${missing.message}; ${missing.hint ?? ""}`);
  if (context.out.json) {
    context.out.document({
      model: name,
      outcome: written.outcome,
      config: home.config,
      previous: written.previous ?? null,
    });
    return;
  }
  if (written.outcome === "unchanged") return context.out.line(`${visible(name)} was chosen already.`);
  context.out.line(`${visible(name)} is used from now on. Does it answer? talaria models --test`);
  context.out.line(undoLine(home.config, written.previous));
}

function missingFor(look: () => unknown): UserError | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

/** What is written does not count while something stronger speaks. */
export function warnOfStronger(context: CliContext, config: LoadedConfig, name: string): void {
  const own = context.env["TALARIA_MODEL"]?.trim();
  const stronger = own || config.envFile.variables.get("TALARIA_MODEL")?.trim();
  if (stronger && stronger !== name) {
    context.out.warn(`TALARIA_MODEL=${stronger} in ${own ? "the environment" : ".env"} goes before it`);
  }
}

export function undoLine(config: string, previous: string | undefined): string {
  return previous === undefined ? `Undo: rm ${visible(config)}` : `Undo: mv ${visible(previous)} ${visible(config)}`;
}

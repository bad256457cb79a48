/** Models from the settings and the environment, built and ready. Each is built once in a process. */
import type { Clock } from "#base/clock.js";
import { invariant } from "#base/errors.js";
import type { LoadedConfig } from "#config/load.js";
import { createModel } from "#model/create-model.js";
import type { Model, ModelSpec } from "#model/model.js";
import type { TurnModels } from "#runtime/parts.js";
import { chooseModels } from "./models.js";

export interface ModelSources {
  readonly config: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

export interface OpenedModels extends TurnModels {
  readonly notes: readonly string[];
}

/** A UserError says what is missing. */
export async function openModels({ config, env, clock }: ModelSources, label?: string): Promise<OpenedModels> {
  const choice = chooseModels(config, env, label);
  const built = new Map<ModelSpec, Promise<Model>>();
  const build = (spec: ModelSpec): Promise<Model> => {
    const known = built.get(spec) ?? createModel(spec, { clock });
    built.set(spec, known);
    return known;
  };
  const open = async (specs: readonly ModelSpec[]): Promise<readonly [Model, ...Model[]]> => {
    const [first, ...rest] = await Promise.all(specs.map(build));
    invariant(first, "a choice of models is never empty");
    return [first, ...rest];
  };
  return { main: await open(choice.main), auxiliary: await open(choice.auxiliary), notes: choice.notes };
}

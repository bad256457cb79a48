/** A configured hook as something to call, with the environment of its commands; none for one that may not run. */
import type { Clock } from "#base/clock.js";
import type { HomePaths } from "#config/home.js";
import type { Hook } from "#hook/hook.js";
import { shellHook } from "#hook/shell-hook.js";
import { toolEnvironment } from "#tool/terminal/environment.js";
import type { ConfiguredHook } from "./hook-settings.js";

export interface RunnableParts {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

export function runnable({ home, env, clock }: RunnableParts, hook: ConfiguredHook): readonly Hook[] {
  if (hook.leave !== "allowed") return [];
  const made = shellHook(hook, {
    clock,
    cwd: home.root,
    environment: (about) => ({ ...toolEnvironment(env, about), TALARIA_HOME: home.root }),
  });
  return made === undefined ? [] : [made];
}

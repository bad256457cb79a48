/** Why the next host could not start, as far as the settings tell: whoever asks from a chat could not correct it there. */
import { UserError } from "#base/errors.js";
import { redact } from "#base/redact.js";
import type { HomePaths } from "#config/home.js";
import { loadConfig } from "#config/load.js";

export function settingsMistakes({
  home,
  env,
}: {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
}): string | undefined {
  try {
    loadConfig(home, env);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return redact(error.message);
    throw error;
  }
}

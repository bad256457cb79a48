/**
 * The platforms that enabled plugins bring, by what each registered when it was last loaded: enough to check settings
 * and to owe a message. Nothing of a plugin runs for it, so none of them can be opened from here.
 */
import { InvariantError, UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { PlatformKind } from "#platform/platform.js";

export async function pluginKinds(home: HomePaths): Promise<readonly PlatformKind[]> {
  const [{ readState }, { isSetAside }, { asPlatformKind }] = await Promise.all([
    import("#plugin/state.js"),
    import("#plugin/judge.js"),
    import("#plugin/as-platforms.js"),
  ]);
  const state = await readState(home.plugins).catch((error: unknown) => {
    // A damaged file is told by doctor and by the host: no plugin runs with it.
    if (error instanceof UserError) return undefined;
    throw error;
  });
  if (state === undefined) return [];
  const running = state.enabled.filter((name) => !isSetAside(state, name));
  return running.flatMap((name) =>
    (state.known[name]?.contribution.platforms ?? [])
      .filter(({ opens }) => opens === true)
      .map((platform) => asPlatformKind(platform, name, { call: notFromHere })),
  );
}

function notFromHere(): never {
  throw new InvariantError("a plugin's platform is opened by the host alone");
}

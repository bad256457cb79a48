/** What the plugin host finds in its environment: the person's own, without our settings and anybody's secrets. */
import { toolEnvironment } from "#tool/terminal/environment.js";

export function pluginEnvironment(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const { TALARIA_SESSION_ID, TALARIA_CONVERSATION_ID, ...rest } = toolEnvironment(env, {
    session: "",
    conversation: "",
  });
  return rest;
}

/** What a person should know about the host that answers, one sentence each. */
import type { ChatParts } from "./talk.js";

export function hostNotes({ link, context }: Pick<ChatParts, "link" | "context">): readonly string[] {
  const { is_newer_client, version, notes = [] } = link.hello;
  if (is_newer_client !== true) return notes;
  // It goes on serving; the person decides when it is replaced.
  return [
    ...notes,
    `The host is version ${version} and this is ${context.version}; talaria host restart brings it up to date.`,
  ];
}

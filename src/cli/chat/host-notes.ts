/** What a person should know about the host that answers. */
import type { ChatParts } from "./talk.js";

/** A host that is older than this program goes on serving; the person decides when it is replaced. */
export function hostNotes({ link, context }: Pick<ChatParts, "link" | "context">): readonly string[] {
  const { is_newer_client, version } = link.hello;
  if (is_newer_client !== true) return [];
  return [`The host is version ${version} and this is ${context.version}; talaria host restart brings it up to date.`];
}

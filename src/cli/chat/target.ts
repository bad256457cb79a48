/** Which conversation a chat goes on in. */
import { UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { requireSession } from "../commands/sessions-find.js";
import { withReader } from "../commands/sessions-store.js";
import { EXIT } from "../exit-codes.js";
import type { Card } from "./exchange.js";
import { lastConversation } from "./last-chat.js";
import type { HostLink } from "./link.js";
import { type ChatOptions, workingDirectory } from "./options.js";

/** Undefined: a new one. */
export async function findTarget(context: CliContext, link: HostLink, options: ChatOptions): Promise<Card | undefined> {
  const { resume, continue: continued } = options;
  const name = resume ?? (typeof continued === "string" ? continued : undefined);
  if (name === undefined && continued === undefined) return undefined;
  const card = name === undefined ? await requireLast(context, link) : await requireCard(context, link, name);
  if (options.cwd !== undefined && card.cwd !== null && card.cwd !== workingDirectory(options)) {
    throw new UserError(`this conversation works in ${card.cwd}`, "--cwd is for new conversations", EXIT.usage);
  }
  return card;
}

/** A UserError that says what was meant, when it leads nowhere. */
export async function requireCard(context: CliContext, link: HostLink, name: string): Promise<Card> {
  const found = await link.call("session.find", { text: name });
  if (found.kind === "found") return found.card;
  // Why it leads nowhere, and what has a similar name, is told by whatever reads the store.
  const { id } = await withReader(context, (store) => requireSession(store, name));
  const again = await link.call("session.find", { text: id });
  if (again.kind === "found") return again.card;
  throw new UserError(`${name} is not there any more`, undefined, EXIT["not-found"]);
}

async function requireLast({ home }: CliContext, link: HostLink): Promise<Card> {
  const card = await lastConversation(home, link);
  if (card !== undefined) return card;
  throw new UserError(
    "there is no terminal conversation to go on in",
    "talaria chat begins one; talaria sessions list shows those of other places",
    EXIT["not-found"],
  );
}

export interface DefaultModel {
  readonly label: string;
  /** What a person should know about the choice, one sentence each. */
  readonly notes: readonly string[];
}

/** The model that a new conversation would use. */
export async function defaultModel(link: HostLink): Promise<DefaultModel> {
  const { model = "", provider = "", warning = "" } = await link.call("config.get", { key: "provider" });
  return { label: `${provider}/${model}`, notes: warning.split("\n").filter((note) => note !== "") };
}

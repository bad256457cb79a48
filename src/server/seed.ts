/**
 * A history that a client brings along for a session it opens. Any order of roles will do: a request is made of whatever
 * history is stored [MD-20]. Only what nobody could keep as it was meant is refused.
 */
import { type ConversationId, ID_PATTERN } from "#base/ids.js";
import type { Params } from "#protocol/methods.js";
import type { NewMessage, Role } from "#session/message.js";
import type { ServerContext } from "./context.js";
import { Refusal } from "./failure.js";

export type Seed = readonly NewMessage[];

/** Those of the clients' protocol; a note is ours. */
const ROLES: readonly Role[] = ["user", "assistant", "system", "tool"];
const ROLE_CHARS_SHOWN = 40;

/** Rows without text are left out, as they are of a request: where nothing was said there is no seed. */
export function seedOf(messages: Params<"session.create">["messages"] = []): Seed {
  const seed = messages.map(({ role: given, content, name }, at): NewMessage => {
    const role = ROLES.find((known) => known === given);
    if (role === undefined) throw unknownRole(given, at);
    const body = role === "tool" && name !== undefined ? { body: { toolName: name } } : {};
    return { role, text: (content ?? "").toWellFormed(), ...body };
  });
  return seed.filter(({ text }) => text.trim() !== "");
}

function unknownRole(given: string, at: number): Refusal {
  const shown = JSON.stringify(given.slice(0, ROLE_CHARS_SHOWN));
  return new Refusal(
    "badArgument",
    `session.create: messages.${at}.role: ${shown} is none of ${ROLES.join(", ")}; nothing was stored`,
  );
}

/** The conversation that an earlier attempt under this id began, with this very history; undefined when there was none. */
export async function seededBefore(
  { store }: ServerContext,
  id: string | undefined,
  seed: Seed,
): Promise<ConversationId | undefined> {
  if (id === undefined) return undefined;
  // Taken for another one it would be made again at every attempt.
  if (!ID_PATTERN.test(id))
    throw new Refusal("badArgument", `session_id: an id matches ${ID_PATTERN.source}; nothing was stored`);
  const found = await store.resolve({ text: id });
  if (found.kind === "unknown") return undefined;
  if (found.kind === "deleted") throw new Refusal("notFound", "that session was deleted; nothing was stored");
  const conversation = id as ConversationId;
  const rows = await store.history({ conversation, afterSeq: 0, limit: seed.length, withSuperseded: true });
  const isSame =
    rows.length === seed.length &&
    rows.every(({ role, text, isImported }, at) => isImported && role === seed[at]?.role && text === seed[at]?.text);
  if (isSame) return conversation;
  throw new Refusal("badArgument", `${id} is the id of another session, which began otherwise; nothing was stored`);
}

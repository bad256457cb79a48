/** Whose conversations somebody may see. */
import type { PersonId } from "#base/ids.js";
import type { AskedQuestion } from "#session/verbs/chat.js";
import type { SlashContext, SlashPerson } from "./command.js";

/** [CM-4] The owner of the home sees every conversation; anybody else their own. */
export function ownedBy({ person }: SlashContext): { readonly owner?: PersonId } {
  return person.role === "owner" ? {} : { owner: person.id };
}

/** [GW-7] A question is answered by whoever said what the turn works on, or by the owner of the home. */
export function mayAnswer({ id, role }: SlashPerson, { author }: AskedQuestion): boolean {
  return role === "owner" || author.id === id;
}

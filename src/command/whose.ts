/** Whose conversations somebody may see. */
import type { PersonId } from "#base/ids.js";
import type { SlashContext } from "./command.js";

/** [CM-4] The owner of the home sees every conversation; anybody else their own. */
export function ownedBy({ person }: SlashContext): { readonly owner?: PersonId } {
  return person.role === "owner" ? {} : { owner: person.id };
}

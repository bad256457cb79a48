/** Whose conversations somebody may see. */
import type { PersonId } from "#base/ids.js";
import type { AskedQuestion } from "#session/verbs/chat.js";
import type { ApprovalRule, SlashContext, SlashPerson } from "./command.js";

/** [CM-4] The owner of the home sees every conversation; anybody else their own. */
export function ownedBy({ person }: SlashContext): { readonly owner?: PersonId } {
  return person.role === "owner" ? {} : { owner: person.id };
}

/** [GW-7] Words that a turn asks for are its author's to give in any case, and an owner's. */
export function mayAnswer({ id, role }: SlashPerson, { author, question }: AskedQuestion, rule: ApprovalRule): boolean {
  return role === "owner" || (author.id === id && (rule === "author" || question["kind"] === "clarify"));
}

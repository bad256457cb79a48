/** `talaria sessions rename | archive | unarchive`: small changes to one conversation. */
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { SessionStore } from "#session/store.js";
import { TITLE_CHARS_MAX } from "#session/title.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { mention, requireSession } from "./sessions-find.js";
import { withWriter } from "./sessions-store.js";

export interface RenameOptions {
  readonly clear?: boolean;
}

export function renameSession(
  context: CliContext,
  session: string,
  words: readonly string[],
  { clear }: RenameOptions,
): Promise<void> {
  const title = clear === true ? null : words.join(" ");
  if (title === "" || (clear === true && words.length > 0)) {
    throw new UserError(
      "give a new title, or --clear to have none",
      'talaria sessions rename 7h3k "my project"',
      EXIT.usage,
    );
  }
  return withWriter(context, async (store) => {
    const card = await requireSession(store, session);
    const outcome = await store.setTitle({ conversation: card.id, title });
    switch (outcome.kind) {
      case "set":
        return tell(context, card, outcome.title, `Renamed to "${visible(outcome.title)}".`);
      case "cleared":
        return tell(context, card, null, "The title is cleared.");
      case "dropped":
        throw await refusal(store, outcome);
      case "kept-for-later":
        return tell(context, card, card.title, "The title could not be set now; the next turn tries again.");
      case "unknown":
      case "deleted":
        throw new UserError("the session was deleted meanwhile", undefined, EXIT["not-found"]);
    }
  });
}

export function archiveSession(context: CliContext, session: string, archived: boolean): Promise<void> {
  return withWriter(context, async (store) => {
    const card = await requireSession(store, session);
    await store.setArchived({ conversation: card.id, archived });
    if (context.out.json) return context.out.document({ id: card.id, archived });
    const now = archived ? "archived; talaria sessions list --all shows it" : "in the list again";
    context.out.line(`${mention(card)} is ${now}.`);
  });
}

function tell(context: CliContext, card: ConversationCard, title: string | null, text: string): void {
  if (context.out.json) context.out.document({ id: card.id, title, before: card.title });
  else context.out.line(text);
}

async function refusal(
  store: SessionStore,
  { reason, holder }: { readonly reason: "taken" | "empty" | "too-long"; readonly holder?: ConversationCard["id"] },
): Promise<UserError> {
  if (reason === "empty") return new UserError("the title has no visible character", "nothing was changed", EXIT.usage);
  if (reason === "too-long") {
    return new UserError(`a title has at most ${TITLE_CHARS_MAX} characters`, "nothing was changed", EXIT.usage);
  }
  const other = holder === undefined ? null : await store.show({ conversation: holder });
  const who = other === null ? "another session" : mention(other);
  return new UserError(`that title belongs to ${who}`, "titles are unique; choose another, or rename that one first");
}

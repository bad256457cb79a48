/**
 * How a slash command is written: one definition for every surface, with where it is available. A command acts on
 * the store and the runtime by their verbs, answers in plain lines, and says what the surface does next; it draws
 * nothing and knows no terminal.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import type { Face } from "#runtime/face.js";
import type { Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { Actor } from "#session/verbs/lifecycle.js";

export type Surface = "terminal" | "chat";

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** What follows the name, as help shows it: `[title]`. */
  readonly takes?: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly where: readonly Surface[];
  run(context: SlashContext, words: string): Promise<SlashOutcome>;
}

export interface SlashContext {
  readonly surface: Surface;
  readonly store: SessionStore;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Who acts, and by which route. */
  readonly actor: Actor;
  /** Undefined before the first message: nothing is stored until then [LS-1]. */
  readonly conversation: ConversationId | undefined;
  /** What a conversation begun here starts with. */
  readonly start: SessionStart;
  /** The surface's own face, for a command that asks a model. */
  readonly face: Face;
  /** The model a new conversation would use. */
  readonly model: Model;
}

export interface SlashOutcome {
  /** For the person, a paragraph each; may hold line breaks. */
  readonly say: readonly string[];
  readonly next: SlashNext;
}

/** What the surface does after a command. */
export type SlashNext =
  | { readonly kind: "stay" }
  | { readonly kind: "leave" }
  /** From here on this one is talked to; undefined: the next message begins it. */
  | { readonly kind: "move"; readonly conversation: ConversationId | undefined }
  /** As `move`, and what that one has left to do is done first: what was cut is finished, what waits is asked. */
  | { readonly kind: "resume"; readonly conversation: ConversationId }
  /** Let the conversation do what it has to do. */
  | { readonly kind: "run" }
  /** Say this as if the person had typed it. */
  | { readonly kind: "send"; readonly text: string }
  /** Say this in place of the last exchange: stored first, then that is hidden, so that a death between loses nothing. */
  | { readonly kind: "retry"; readonly text: string };

export function said(...say: readonly string[]): SlashOutcome {
  return { say, next: { kind: "stay" } };
}

export const NOTHING_YET = "Nothing was said yet: a conversation begins with its first message.";

/**
 * How a slash command is written: one definition for every surface, with where it is available and who may. A command
 * acts on the store and on what runs by their verbs, answers in plain lines, and says what the surface does next; it
 * draws nothing and knows no terminal.
 *
 * A surface builds a `SlashContext` and hands lines to `runLine` (`run-line.ts`). What it leaves out of `SlashPorts` takes
 * the commands that need it out of help, completion and the catalogue: what does not work here is not offered here.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId, PersonId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import type { SessionStore } from "#session/store.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { Actor } from "#session/verbs/lifecycle.js";
import type { SlashPorts } from "./ports.js";

/** `terminal`: a person's own screen, in this process or over the wire. `chat`: a messaging platform. */
export type Surface = "terminal" | "chat";

/** The owner of the home, or somebody the home lets in. */
export type PersonRole = "owner" | "member";

export interface SlashPerson {
  readonly id: PersonId;
  readonly role: PersonRole;
  readonly name?: string;
}

/** Whom a home lets allow something dangerous: whoever said what the turn works on too, or its owners alone. */
export type ApprovalRule = "author" | "owner";

/** The headings of help, in the order it shows them. */
export const CATEGORIES = ["Session", "Turn", "Configuration", "Info", "Exit"] as const;
export type Category = (typeof CATEGORIES)[number];

/** What completion offers after the name; a list holds the words themselves. */
export type SlashArguments = "none" | "sessions" | "models" | "files" | "commands" | readonly string[];

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly category: Category;
  /** What follows the name, as help shows it: `[title]`. */
  readonly takes?: string;
  readonly arguments: SlashArguments;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What `/help NAME` adds, a paragraph each. */
  readonly details?: readonly string[];
  readonly where: readonly Surface[];
  readonly who: "anyone" | "owner";
  /** Ports without which it does not exist. */
  readonly needs?: readonly (keyof SlashPorts)[];
  /** [CT-7] It works while a turn runs; every other one is refused until that is over. */
  readonly whileBusy?: true;
  /** What a death in the middle of it asks for; absent: it is not run again, and the person is told. */
  readonly again?: Again | ((words: string) => Again | undefined);
  /** `words` is what followed the name, without space around it. A UserError is told like an answer. */
  run(context: SlashContext, words: string): Promise<SlashOutcome>;
}

/**
 * `same`: run again for the same event it does no more than once, or only shows something. `moves`: all it does is to move
 * where the chat leads, so it is run again unless that has happened.
 */
export type Again = "same" | "moves";

export interface SlashContext extends SlashPorts {
  readonly surface: Surface;
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Who acts, and by which route; `heldElsewhere` when another client watches the conversation too. */
  readonly actor: Actor;
  readonly person: SlashPerson;
  /** Their id on the platform, as `allow` and `owners` name it; in chats. */
  readonly sender?: string;
  /** Undefined before the first message: nothing is stored until then [LS-1]. */
  readonly conversation: ConversationId | undefined;
  /** What a conversation begun here starts with. */
  readonly start: SessionStart;
  /** Who may answer what a turn asks leave for; `author` where nothing is said. */
  readonly approvals?: ApprovalRule;
  /** The model a new conversation would use. */
  readonly model: Model;
  /** Of this program. */
  readonly version: string;
}

/** What decides which commands there are: of a port only that it is there. Every SlashContext is one. */
export type Standing = Pick<SlashContext, "surface" | "person" | "commands"> & {
  readonly [P in Exclude<keyof SlashPorts, "commands">]?: unknown;
};

export interface SlashOutcome {
  /** For the person, a paragraph each; may hold line breaks. */
  readonly say: readonly string[];
  readonly next: SlashNext;
}

/**
 * What the surface does after a command. On the wire (`slash.exec`): `send` and `retry` become `{type:"send"}`, `prefill`
 * becomes `{type:"prefill"}`, everything else is output; `move` and `resume` also change what the client is attached to.
 */
export type SlashNext =
  | { readonly kind: "stay" }
  | { readonly kind: "leave" }
  /** From here on this one is talked to; undefined: the next message begins it. */
  | { readonly kind: "move"; readonly conversation: ConversationId | undefined }
  /** As `move`, and what that one has left to do is done first: what was cut is finished, what waits is asked. */
  | { readonly kind: "resume"; readonly conversation: ConversationId }
  /** Let the conversation do what it has to do; `wake` of a live host. */
  | { readonly kind: "run" }
  /** Say this as if the person had typed it. */
  | { readonly kind: "send"; readonly text: string }
  /** Put this into the line the person is writing; a surface without one shows nothing. */
  | { readonly kind: "prefill"; readonly text: string }
  /** Say this in place of the last exchange: stored first, then that is hidden, so that a death between loses nothing. */
  | { readonly kind: "retry"; readonly text: string };

export function said(...say: readonly string[]): SlashOutcome {
  return { say, next: { kind: "stay" } };
}

export const NOTHING_YET = "Nothing was said yet: a conversation begins with its first message.";
export const DELETED = "This conversation was deleted.";

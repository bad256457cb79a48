/** Slash commands said in chats. Each is a row until it is answered, so that a death in between loses none. */
import type { Press } from "#platform/platform.js";
import type { VerbResult } from "#session/store.js";
import type { Account } from "../gateway.js";
import type { Heard, KnownPerson } from "../heard.js";

export interface ChatCommands {
  /** True: the line is a command here; then `take` it. Everything else is said to the agent. */
  isCommand(heard: Heard): boolean;
  /** [CT-1] Resolves when it is stored; it is run after, and its answer is owed with its end. Once for every event. */
  take(heard: Heard): Promise<void>;
  /**
   * True: the message answered the open question of this chat's conversation, or had done so before. Kept by its event
   * like a command, so that a redelivery is no new message. `seen`: what the store was just asked.
   */
  asAnswer(heard: Heard, seen?: VerbResult<"openQuestion">): Promise<boolean>;
  /** A button of a question; answers what to show. */
  press(account: Account, person: KnownPerson, press: Press): Promise<string>;
  /** Runs again what a death left unanswered, attempts bounded. */
  recover(): Promise<void>;
  /** Resolves when none is under way. */
  rest(): Promise<void>;
}

/** A model request from stored history: pure, and checked against the wire's rules before it leaves [MD-20]. */
import type { Model, ModelMessage, ModelRequest } from "#model/model.js";
import type { Message } from "#session/message.js";
import { project } from "./project.js";
import type { TurnParts } from "./turn-parts.js";

export interface RequestWish {
  /** The step budget ends here: an answer is asked for, no tool. */
  readonly isLast: boolean;
  /** Provider-private parts are left out: for a provider that refuses what it once sent. */
  readonly isPlain: boolean;
}

export function buildRequest(
  turn: Pick<TurnParts, "system" | "toolset">,
  model: Model,
  history: readonly Message[],
  wish: RequestWish,
): ModelRequest {
  const target = { dialect: model.dialect, origin: wish.isPlain ? "" : model.origin };
  const messages = project(history, target);
  return {
    system: turn.system,
    messages: wish.isLast ? closing(messages) : messages,
    tools: turn.toolset.specs(),
    toolChoice: wish.isLast ? "none" : "auto",
  };
}

const CLOSING_TEXT =
  "[This turn has used all the steps it may take. Use no tool. Say what was done, what is left, and what you would do next.]";

/** Said in the request alone, never stored. Joined to a last user message, because roles alternate. */
function closing(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role === "user")
    return [...messages.slice(0, -1), { role: "user", text: `${last.text}\n\n${CLOSING_TEXT}` }];
  return [...messages, { role: "user", text: CLOSING_TEXT }];
}

/** Which display a chat gets: a program reads JSON and is never asked; a person at a terminal may be. */

import type { LineInput } from "./input/line-input.js";
import { jsonDisplay, streamDisplay } from "./json-display.js";
import type { OneRunParts } from "./one-run.js";
import type { ChatOptions } from "./options.js";
import { type AnswersWith, createScreen, type Screen } from "./screen.js";
import { type ChatSurface, processSurface } from "./surface.js";
import type { ChatParts } from "./talk.js";

type Undisplayed = Omit<ChatParts, "display">;

/** For one run. */
export function displayed(parts: Undisplayed, options: ChatOptions, input: LineInput | undefined): OneRunParts {
  const { out } = parts.context;
  if (out.json) return { ...parts, display: jsonDisplay(out) };
  if (options.streamJson === true) return { ...parts, display: streamDisplay(out) };
  const shown = onScreen(parts, "flags");
  if (input === undefined) return shown;
  const interrupt = (): void => parts.context.interrupt();
  return { ...shown, terminal: { input, screen: shown.screen, style: shown.surface, interrupt } };
}

export function onScreen(
  parts: Undisplayed,
  answersWith: AnswersWith,
): ChatParts & { readonly screen: Screen; readonly surface: ChatSurface } {
  const surface = processSurface(parts.context.out);
  const screen = createScreen(surface, answersWith);
  return { ...parts, display: screen, screen, surface };
}

/** A line that begins with a slash: runs the command, says what it answered, and what the chat does next. */
import { availableCommands, type Glimpse, runLine, type SlashContext, type SlashOutcome } from "#app/chat-ports.js";
import type { ConversationId } from "#base/ids.js";
import { textWidth, visibleLines } from "#base/text-width.js";
import { HOME_OWNER } from "#session/person.js";
import { wrap } from "../format.js";
import type { Screen } from "./screen.js";
import type { ChatParts } from "./talk.js";
import { CLI_PLATFORM } from "./target.js";

/** Whoever sits at the terminal owns the home. */
const AT_TERMINAL = { surface: "terminal", person: { id: HOME_OWNER, role: "owner" } } as const;

export type SlashNext = SlashOutcome["next"] | { readonly kind: "not-a-command" };

export async function runSlash(
  line: string,
  context: SlashContext,
  { screen, columns }: { readonly screen: Screen; readonly columns: number },
): Promise<SlashNext> {
  const outcome = await runLine(line, context);
  if (outcome.kind === "message") return { kind: "not-a-command" };
  if (outcome.kind === "failed") throw outcome.error;
  const lines = outcome.say.flatMap((text) => visibleLines(text).split("\n"));
  screen.say(lines.flatMap((text) => fitted(text, columns)));
  return outcome.next;
}

export function slashContext(
  { started, context, start, display }: ChatParts,
  conversation: ConversationId | undefined,
  interrupt: AbortSignal,
): SlashContext {
  const { store, runtime, model } = started;
  // What came of a compaction is the command's own answer.
  const onGlimpse = (glimpse: Glimpse): void => void (glimpse.type !== "compacted" && display.glimpse(glimpse));
  return {
    ...AT_TERMINAL,
    store,
    clock: context.clock,
    actor: { platform: CLI_PLATFORM },
    conversation,
    start,
    model,
    version: context.version,
    compact: (which, options) =>
      runtime.compact(which, { ...options, face: { platform: CLI_PLATFORM, isAsked: true, onGlimpse, interrupt } }),
    home: context.home,
  };
}

/** For the Tab key. */
export function completeSlash(line: string): string[] {
  if (!/^\/[\w-]*$/.test(line)) return [];
  return availableCommands({ ...AT_TERMINAL, compact: true, home: true })
    .map(({ name }) => `/${name}`)
    .filter((name) => name.startsWith(line))
    .map((name) => `${name} `);
}

const DESCRIPTION_CELLS_MIN = 20;

/** A line of two columns keeps them: what is too long in the second goes on below itself. */
function fitted(line: string, columns: number): string[] {
  const [, first = "", gap = "", second = line] = /^(\S.*?)( {2,})(.*)$/.exec(line) ?? [];
  const indent = textWidth(first) + gap.length;
  if (columns - indent < DESCRIPTION_CELLS_MIN) return wrap(line, columns - 1);
  const lines = wrap(second, columns - indent - 1);
  return lines.map((text, at) => (at === 0 ? `${first}${gap}${text}` : `${" ".repeat(indent)}${text}`));
}

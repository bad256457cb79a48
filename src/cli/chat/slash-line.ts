/** A line that begins with a slash: runs the command, says what it answered, and what the chat does next. */
import { type Glimpse, parseLine, SLASH_COMMANDS, type SlashContext, type SlashOutcome } from "#app/chat-ports.js";
import type { ConversationId } from "#base/ids.js";
import { textWidth, visibleLines } from "#base/text-width.js";
import { wrap } from "../format.js";
import type { Screen } from "./screen.js";
import type { ChatParts } from "./talk.js";
import { CLI_PLATFORM } from "./target.js";

export type SlashNext = SlashOutcome["next"] | { readonly kind: "not-a-command" };

/** `context` is made only when a command runs. */
export async function runSlash(
  line: string,
  context: () => SlashContext,
  { screen, columns }: { readonly screen: Screen; readonly columns: number },
): Promise<SlashNext> {
  const parsed = parseLine(line, "terminal");
  if (parsed.kind === "message") return { kind: "not-a-command" };
  const say = (paragraphs: readonly string[]): void =>
    screen.say(paragraphs.flatMap((text) => visibleLines(text).split("\n")).flatMap((text) => fitted(text, columns)));
  if (parsed.kind === "unknown") {
    const { word, suggestion } = parsed;
    say([
      suggestion === undefined
        ? `/${word} is not a command here; /help lists them.`
        : `/${word} is not a command here. Did you mean /${suggestion}?`,
      "It was not sent; a space before the slash makes it a message.",
    ]);
    return { kind: "stay" };
  }
  const outcome = await parsed.command.run(context(), parsed.words);
  say(outcome.say);
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
    surface: "terminal",
    store,
    runtime,
    clock: context.clock,
    actor: { platform: CLI_PLATFORM },
    conversation,
    start,
    face: { platform: CLI_PLATFORM, isAsked: true, onGlimpse, interrupt },
    model,
  };
}

/** For the Tab key. */
export function completeSlash(line: string): string[] {
  if (!/^\/[\w-]*$/.test(line)) return [];
  return SLASH_COMMANDS.filter(({ where }) => where.includes("terminal"))
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

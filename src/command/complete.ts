/** What could be typed next in a line that begins with a slash: names, then what the command takes. Bounded, and never a fault. */
import { formatAgo } from "#base/span.js";
import type { SlashCommand, SlashContext } from "./command.js";
import { type Completion, completePath } from "./complete-path.js";
import { matchingCommands } from "./parse.js";
import { availableCommands } from "./table.js";
import { oneLine } from "./text.js";
import { ownedBy } from "./whose.js";

export const COMPLETIONS_MAX = 30;
/** Newest conversations that are looked at for a name. */
const SESSIONS_LOOKED_AT = 200;
/** A longer line is not completed. */
const LINE_CHARS_MAX = 2_000;

export interface Completions {
  readonly items: readonly Completion[];
  /** Where in the text the item's text takes the place of what stands there, to the end. */
  readonly replaceFrom: number;
}

const NONE: Completions = { items: [], replaceFrom: 0 };

export async function completeLine(text: string, context: SlashContext): Promise<Completions> {
  if (text.length > LINE_CHARS_MAX) return NONE;
  const [, name, gap, words = ""] = /^\/([\w?-]*)(?:(\s+)(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return NONE;
  if (gap === undefined) return { items: firstOf(completeName(name, availableCommands(context))), replaceFrom: 1 };
  const [command, ...others] = matchingCommands(name, context);
  if (command === undefined || others.length > 0) return NONE;
  return completeWords(command, context, { words, from: text.length - words.length });
}

/** Names first that begin with it, then aliases that do, each command once. */
function completeName(name: string, commands: readonly SlashCommand[]): readonly Completion[] {
  const wanted = name.toLowerCase();
  const item = (text: string, { summary }: SlashCommand): Completion => ({ text, display: `/${text}`, meta: summary });
  const named = commands.filter((one) => one.name.startsWith(wanted));
  const aliased = commands
    .filter((one) => !named.includes(one))
    .flatMap((one) => {
      const alias = one.aliases.find((known) => known.startsWith(wanted));
      return alias === undefined ? [] : [item(alias, one)];
    });
  return [...named.map((one) => item(one.name, one)), ...aliased];
}

interface Words {
  readonly words: string;
  /** Where they begin in the line. */
  readonly from: number;
}

async function completeWords(command: SlashCommand, context: SlashContext, at: Words): Promise<Completions> {
  const last = at.words.slice(at.words.search(/\S*$/));
  const replaceLast = at.from + at.words.length - last.length;
  const { arguments: kind } = command;
  switch (kind) {
    case "none":
      return NONE;
    case "sessions":
      return { items: firstOf(await completeSession(at.words, context)), replaceFrom: at.from };
    case "models":
      return { items: firstOf(await completeModel(last, context)), replaceFrom: replaceLast };
    case "files":
      return {
        items: await completePath(last, { cwd: context.start.cwd, clock: context.clock }),
        replaceFrom: replaceLast,
      };
    case "commands":
      return {
        items: firstOf(completeName(last.replace(/^\//, ""), availableCommands(context))),
        replaceFrom: replaceLast,
      };
    default: {
      const isFirst = last === at.words;
      const fitting = isFirst ? kind.filter((word) => word.startsWith(last.toLowerCase())) : [];
      return { items: firstOf(fitting.map((text) => ({ text, display: text, meta: "" }))), replaceFrom: replaceLast };
    }
  }
}

/** By the beginning of an id, or anything in the name; what is older than the list is found by its exact name. */
async function completeSession(words: string, context: SlashContext): Promise<readonly Completion[]> {
  const { store, clock } = context;
  const wanted = words.trim().toLowerCase();
  const rows = await store.list({ limit: SESSIONS_LOOKED_AT, ...ownedBy(context) });
  const found = rows.filter(
    ({ id, title, preview }) => id.startsWith(wanted) || (title ?? preview ?? "").toLowerCase().includes(wanted),
  );
  if (found.length > 0) {
    return found.map(({ id, title, preview, activeMs }) => ({
      text: id,
      display: oneLine(title ?? preview ?? id),
      meta: formatAgo(activeMs, clock.nowMs()),
    }));
  }
  const resolved = await store.resolve({ text: words, ...ownedBy(context) });
  return resolved.kind === "found"
    ? [{ text: resolved.conversation, display: oneLine(words), meta: `by its ${resolved.by}` }]
    : [];
}

async function completeModel(word: string, { models }: SlashContext): Promise<readonly Completion[]> {
  const wanted = word.toLowerCase();
  const names = (await models?.names()) ?? [];
  const flags = word.startsWith("-") ? ["--global"].filter((flag) => flag.startsWith(wanted)) : [];
  return [...flags, ...names.filter((name) => name.toLowerCase().includes(wanted))].map((text) => ({
    text,
    display: text,
    meta: "",
  }));
}

function firstOf(items: readonly Completion[]): readonly Completion[] {
  return items.slice(0, COMPLETIONS_MAX);
}

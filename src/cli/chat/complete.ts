/** The Tab key: what the host would complete a line with, within a moment. */
import type { HostLink } from "./link.js";

/** A person does not notice it; whoever waits longer has typed on. */
const COMPLETE_MS = 300;

/** What could stand at the end of the line, and what of the line it would replace. */
export type Completer = (line: string) => Promise<readonly [completions: string[], replaced: string]>;

/** `where` is the conversation it is about, where there is one. */
export function createCompleter(link: HostLink, where: () => string | undefined): Completer {
  // Of two keys in a row the second is about a line that the first is about to change.
  let isAsked = false;
  return async (line) => {
    if (!line.startsWith("/") || isAsked) return [[], line];
    isAsked = true;
    const id = where();
    const params = { text: line, ...(id === undefined ? {} : { session_id: id }) };
    try {
      const { items, replace_from } = await link.callOnce("complete.slash", params, { timeoutMs: COMPLETE_MS });
      const replaced = line.slice(replace_from);
      const words = line.slice(1).trimEnd().split(/\s+/);
      // What stands there already is whole: the key adds nothing to it.
      const isWhole = /\s$/.test(line) && items.some(({ text }) => text === words.at(-1));
      return isWhole ? [[], line] : [items.map(({ text }) => `${text} `), replaced];
    } catch {
      // A key that does nothing: the line can be typed and sent all the same.
      return [[], line];
    } finally {
      isAsked = false;
    }
  };
}

/** How a message with references is put together, and taken apart again. */

/** What stands between a person's words and what they named. */
export const ATTACHED_MARK = "\n\n--- attached by reference ---\n";

/** The person's own words of a message, to be changed and said again. */
export function withoutReferences(text: string): string {
  const at = text.indexOf(ATTACHED_MARK);
  return at < 0 ? text : text.slice(0, at);
}

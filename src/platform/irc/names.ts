/** Names on IRC: which are the same, which are channels, and what may stand in a line at all. */

/**
 * Small letters for the capitals of ASCII, and nothing more. Some servers also take `{` for a small `[`, others let these be two
 * people; and no server takes a letter for another that merely folds to it. Who is not known to be the same is another.
 */
export function folded(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function isSameName(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/** `@#ops` is what a channel's operators are told: the channel, all the same. */
export function channelIn(target: string): string | undefined {
  return /^[~&@%+]?([#!][^\s,]+)$/.exec(target)?.[1] ?? /^&[^\s,]+$/.exec(target)?.[0];
}

/** A target that stays one parameter: no blank, no comma, nothing that ends a line. */
export function isTarget(target: string): boolean {
  return /^[^\s\0\x01,:][^\s\0\x01,]{0,199}$/.test(target);
}

/** Colours and weights that clients put into text. */
export function withoutColours(text: string): string {
  return text.replace(/\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04[\da-fA-F]{6}|[\x02\x0f\x11\x16\x1d\x1e\x1f]/g, "");
}

/** Where a message to a chat goes: a private one is known by its mask, and reached by the nick in it. */
export function targetOf(chatId: string): string {
  const [nick = chatId] = chatId.split("!");
  return channelIn(chatId) === undefined ? nick : chatId;
}

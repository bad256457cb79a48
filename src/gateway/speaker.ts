/**
 * A speaker's name at the head of a line, where several people talk in one conversation. People choose their names: one that
 * closes the bracket, or begins a line of its own, would put words into another's mouth.
 */
const NAME_CHARS_MAX = 64;

export function spokenBy(name: string, words: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]]/gu, "")
    .trim();
  return `[${plain === "" ? "somebody" : [...plain].slice(0, NAME_CHARS_MAX).join("")}] ${words}`;
}

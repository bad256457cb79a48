/**
 * How deep a JSON text nests, told before it is parsed: parsing a megabyte of brackets costs memory that nobody who
 * means well needs. Text that is no JSON has a depth too; the parser then says what is wrong with it.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        if (depth > depthMax) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
    }
  }
  return false;
}

/** Where the string that begins at `start` ends; the text's end when it does not. */
function stringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at, start)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let backslashes = 0;
  for (let at = quote - 1; at > start && text.charCodeAt(at) === BACKSLASH; at--) backslashes += 1;
  return backslashes % 2 === 1;
}

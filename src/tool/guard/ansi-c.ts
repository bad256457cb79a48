/** The escapes of `$'…'`: another way to write any character. */

const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))/gs;

export function decodeAnsiC(text: string): string {
  return text.replace(ESCAPE, (_whole, x, u, U, octal, control, letter: string | undefined) => {
    const hex = (x ?? u ?? U) as string | undefined;
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8));
    if (control !== undefined) return character(String(control).charCodeAt(0) & 31);
    return letter === undefined ? "" : (LETTERS[letter] ?? letter);
  });
}

function character(code: number): string {
  return code > 0x10ffff ? "" : String.fromCodePoint(code);
}

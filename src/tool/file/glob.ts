/**
 * Globs as `.gitignore` and ripgrep read them, matched without backtracking: the time grows with the lengths of glob
 * and path multiplied, whatever somebody writes into a file we come across.
 */

/** `{a,b}{c,d}…` multiplies; beyond this a brace stands for itself. */
const ALTERNATIVES_MAX = 64;

export interface Glob {
  /** Of a path given as its parts. */
  matches(parts: readonly string[], isFolder: boolean): boolean;
}

/** Undefined for a glob that says nothing. */
export function parseGlob(glob: string): Glob | undefined {
  const isForFolders = glob.endsWith("/");
  const bare = isForFolders ? glob.slice(0, -1) : glob;
  if (bare === "" || bare === "/") return undefined;
  const isAnchored = bare.includes("/");
  const alternatives = expandBraces(bare.replace(/^\//, "")).map((one) => segmentsOf(one, isAnchored));
  return {
    matches: (parts, isFolder) =>
      (isFolder || !isForFolders) && alternatives.some((segments) => matchPath(segments, parts)),
  };
}

const DEEP = "**";
type Segment = typeof DEEP | readonly Token[];

function segmentsOf(glob: string, isAnchored: boolean): Segment[] {
  const names = glob.split("/");
  const segments: Segment[] = names.map((name) => (name === DEEP ? DEEP : tokensOf(name)));
  // At its end `**` is everything below, not the folder itself.
  if (names.at(-1) === DEEP) segments.push(tokensOf("*"));
  return isAnchored ? segments : [DEEP, ...segments];
}

type Token =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "any" }
  | { readonly kind: "many" }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] };

function tokensOf(name: string): Token[] {
  const characters = [...name];
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "\\" && at + 1 < characters.length) {
      tokens.push({ kind: "character", character: characters[++at] ?? "" });
    } else if (character === "*") {
      if (tokens.at(-1)?.kind !== "many") tokens.push({ kind: "many" });
    } else if (character === "?") tokens.push({ kind: "any" });
    else if (character === "[") {
      const end = classEnd(characters, at);
      if (end === undefined) tokens.push({ kind: "character", character });
      else {
        tokens.push(classToken(characters.slice(at + 1, end)));
        at = end;
      }
    } else tokens.push({ kind: "character", character });
  }
  return tokens;
}

/** A bracket right after the opening one stands for itself. */
function classEnd(characters: readonly string[], open: number): number | undefined {
  const first = /[!^]/.test(characters[open + 1] ?? "") ? open + 2 : open + 1;
  const end = characters.indexOf("]", first + 1);
  return end < 0 ? undefined : end;
}

function classToken(inside: readonly string[]): Token {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const members = isNegated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { kind: "class", isNegated, ranges };
}

function matchPath(segments: readonly Segment[], parts: readonly string[]): boolean {
  return matchSequence(segments, parts, (segment) => segment === DEEP, matchName);
}

function matchName(segment: Segment, name: string): boolean {
  if (segment === DEEP) return true;
  return matchSequence(segment, [...name], ({ kind }) => kind === "many", matchCharacter);
}

function matchCharacter(token: Token, character: string): boolean {
  switch (token.kind) {
    case "any":
    case "many":
      return true;
    case "character":
      return token.character === character;
    case "class":
      return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isNegated;
  }
}

/** Wildcards take as little as they can; only the last one met is ever tried with more. */
function matchSequence<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isWild: (part: P) => boolean,
  isMatch: (part: P, item: T) => boolean,
): boolean {
  let [at, next] = [0, 0];
  let wild: { readonly after: number; from: number } | undefined;
  while (at < text.length) {
    const part = pattern[next];
    if (part !== undefined && isWild(part)) {
      wild = { after: ++next, from: at };
    } else if (part !== undefined && isMatch(part, text[at] as T)) {
      at++;
      next++;
    } else if (wild !== undefined) {
      next = wild.after;
      at = ++wild.from;
    } else return false;
  }
  return pattern.slice(next).every(isWild);
}

function expandBraces(glob: string): string[] {
  let expanded = [glob];
  for (let round = 0; round < ALTERNATIVES_MAX; round++) {
    const next = expanded.flatMap(expandFirst);
    if (next.length === expanded.length || next.length > ALTERNATIVES_MAX) return expanded;
    expanded = next;
  }
  return expanded;
}

/** The innermost first, so that nested braces come out right. */
function expandFirst(glob: string): string[] {
  const [whole, inside] = /\{([^{}]*,[^{}]*)\}/.exec(glob) ?? [];
  if (whole === undefined || inside === undefined) return [glob];
  return inside.split(",").map((one) => glob.replace(whole, () => one));
}

/**
 * Brace expansion: `{rm,-rf,/}` is three words. Braces and commas that were not quoted are marked by characters that
 * nobody writes, so that quoted ones stay what they are.
 */

export const MARK = { open: "\ue001", close: "\ue002", comma: "\ue003", tilde: "\ue004" } as const;

const WORDS_MAX = 256;
const ROUNDS_MAX = 512;

/** Undefined when it would become more words than anybody means. */
export function expandBraces(word: string): readonly string[] | undefined {
  if (!word.includes(MARK.open) || word === MARK.open) return [word];
  const done: string[] = [];
  const open = [word];
  for (let round = 0; open.length > 0; round++) {
    if (round > ROUNDS_MAX || open.length + done.length > WORDS_MAX) return undefined;
    const next = open.pop();
    if (next === undefined) break;
    const choices = firstChoices(next);
    if (choices === undefined) done.push(next);
    else open.push(...choices.reverse());
  }
  return done;
}

/** The words that the first pair of braces with a comma in it makes. */
function firstChoices(word: string): string[] | undefined {
  const open: number[] = [];
  const commas: number[][] = [];
  for (let at = 0; at < word.length; at++) {
    const char = word[at];
    if (char === MARK.open) {
      open.push(at);
      commas.push([]);
    } else if (char === MARK.comma) commas.at(-1)?.push(at);
    else if (char === MARK.close) {
      const from = open.pop();
      const cuts = commas.pop();
      if (from === undefined || cuts === undefined || cuts.length === 0) continue;
      return choicesOf(word, from, [...cuts, at]);
    }
  }
  return undefined;
}

function choicesOf(word: string, from: number, cuts: readonly number[]): string[] {
  const end = cuts.at(-1) ?? from;
  return cuts.map((cut, index) => {
    const start = (index === 0 ? from : (cuts[index - 1] ?? from)) + 1;
    return word.slice(0, from) + word.slice(start, cut) + word.slice(end + 1);
  });
}

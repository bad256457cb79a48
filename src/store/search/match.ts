/**
 * A query against one message: exactly what FTS5 would say of the same tokens, computed here. Used for messages
 * that are not indexed yet and for candidates that an index can only suggest.
 */

import { fold } from "./fold.js";
import type { Group, Phrase, Query, Term } from "./query.js";
import { isAsking } from "./query.js";
import { squashed, wordsOf } from "./tokens.js";

export function matches(query: Query, text: string): boolean {
  const folded = fold(text);
  const reading: Reading = { folded };
  return query.some((group) => matchesGroup(group, reading));
}

/** Computed when first needed: most candidates fail on their first term. */
interface Reading {
  readonly folded: string;
  words?: string;
  squashed?: string;
}

function matchesGroup({ all, none }: Group, reading: Reading): boolean {
  const asked = all.filter(isAsking);
  return (
    asked.length > 0 &&
    asked.every((term) => matchesTerm(term, reading)) &&
    !none.some((term) => isAsking(term) && matchesTerm(term, reading))
  );
}

function matchesTerm(term: Term, reading: Reading): boolean {
  if (term.kind === "substring") {
    reading.squashed ??= squashed(reading.folded);
    return reading.squashed.includes(term.text);
  }
  reading.words ??= wordsOf(reading.folded);
  const { words } = reading;
  return term.phrases.every((phrase) => words.includes(inWords(phrase)));
}

function inWords({ tokens, isPrefix }: Phrase): string {
  return isPrefix ? ` ${tokens.join(" ")}` : ` ${tokens.join(" ")} `;
}

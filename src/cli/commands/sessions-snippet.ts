/** A found piece of text without its secrets, and with its marks where they now belong. */
import { REDACTED, redact } from "#base/redact.js";
import type { Snippet } from "#session/search.js";

/** The rest of a word that was cut at the front may be the rest of a key, and no pattern knows it any more. */
const CUT_TOKEN = /^…[\w+/=.-]{16,}/;

export function redactSnippet({ text, marks }: Snippet): Snippet {
  const shown = redact(text).replace(CUT_TOKEN, `…${REDACTED}`);
  return shown === text ? { text, marks } : { text: shown, marks: moved(marks, text, shown) };
}

/** What stands between two redactions was not changed, so a mark inside such a piece moves with it; others go. */
function moved(marks: Snippet["marks"], text: string, shown: string): Snippet["marks"] {
  const kept: (readonly [number, number])[] = [];
  let from = 0;
  let to = 0;
  for (const piece of shown.split(REDACTED)) {
    const at = text.indexOf(piece, from);
    if (at < 0) break;
    const within = marks.filter(([start, end]) => start >= at && end <= at + piece.length);
    kept.push(...within.map(([start, end]) => [start - at + to, end - at + to] as const));
    from = at + piece.length;
    to += piece.length + REDACTED.length;
  }
  return kept;
}

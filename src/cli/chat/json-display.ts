/** `--json`: silent until the one object. `--stream-json`: every glimpse as a line, the result last. */
import { redactValue } from "#base/redact.js";
import type { Output } from "../output.js";
import type { ChatDisplay } from "./display.js";
import { type ResultDocument, recalledDocument, resultDocument } from "./document.js";
import type { Glimpse } from "./glimpse.js";

/** A tool's result beyond this is in history, not in the stream. */
const RESULT_CHARS_MAX = 10_000;
const NOTES_MAX = 100;

export function jsonDisplay(out: Output): ChatDisplay {
  return documentDisplay(out, (document) => out.document(document));
}

export function streamDisplay(out: Output): ChatDisplay {
  const line = (value: Readonly<Record<string, unknown>>): void => out.line(JSON.stringify(value));
  return {
    ...documentDisplay(out, (document) => line({ type: "result", ...document })),
    opened: (opened) => line({ type: "opened", ...opened }),
    glimpse: (glimpse) => line(glimpseDocument(glimpse)),
    note: (text) => line({ type: "notice", text }),
    interrupting: () => line({ type: "interrupting" }),
  };
}

function documentDisplay(out: Output, tell: (document: ResultDocument) => void): ChatDisplay {
  const notes: string[] = [];
  const note = (text: string): void => {
    if (notes.length < NOTES_MAX) notes.push(text);
    out.warn(text);
  };
  return {
    opened: () => undefined,
    running: () => undefined,
    glimpse(glimpse) {
      if (glimpse.type === "notice") note(glimpse.text);
    },
    said: () => undefined,
    interrupting: () => undefined,
    note,
    passed: () => undefined,
    answeredElsewhere: () => undefined,
    background: () => undefined,
    ended: (reports) => tell(resultDocument(reports, notes)),
    recalled: (recalled) => tell(recalledDocument(recalled, notes)),
  };
}

/** What a tool was told and said is shown without secrets; the model's own words stay as they are [LS-12]. */
function glimpseDocument(glimpse: Glimpse): Readonly<Record<string, unknown>> {
  if (glimpse.type === "text" || glimpse.type === "reasoning") return glimpse;
  if (glimpse.type !== "call-finished") return redactValue(glimpse) as Readonly<Record<string, unknown>>;
  const isCut = glimpse.text.length > RESULT_CHARS_MAX;
  const text = isCut ? glimpse.text.slice(0, RESULT_CHARS_MAX).toWellFormed() : glimpse.text;
  return redactValue({ ...glimpse, text, ...(isCut ? { isCut } : {}) }) as Readonly<Record<string, unknown>>;
}

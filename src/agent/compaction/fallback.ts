/**
 * A summary made from the messages themselves, when no model could be asked for one: less wise, but deterministic,
 * bounded, and it leaves nothing unsaid that it lists. A person is told that it was made this way.
 */
import { redact } from "#base/redact.js";
import type { Message } from "#session/message.js";
import { cleanText, clip } from "../projection/clean.js";
import { type Piece, pieceOf } from "../projection/piece.js";
import { findSummary, isSummary } from "./summary-message.js";
import { lineOf } from "./transcript.js";

export const LOCAL_SUMMARY_CHARS_MAX = 8_000;
const LINE_CHARS_MAX = 700;
const LAST_MESSAGES = 8;
/** Shares of the whole; what a section does not use is not given to another, so that the text is predictable. */
const PREVIOUS_CHARS_MAX = 2_000;
const SECTION_CHARS_MAX = 1_000;
const ITEM_CHARS_MAX = 200;
const LAST_CHARS_MAX = 1_600;

export function localSummary(middle: readonly Message[]): string {
  const previous = findSummary(middle)?.text;
  const pieces = middle.filter((message) => !isSummary(message)).map(pieceOf);
  const sections = [
    "This summary was made without a model, from the messages themselves: it lists, it does not explain.",
    section(
      "Earlier summary",
      previous === undefined ? [] : [clip(redact(cleanText(previous)), PREVIOUS_CHARS_MAX)],
      PREVIOUS_CHARS_MAX,
    ),
    section("What the person asked", pieces.flatMap(asks)),
    section("What was done", counted(pieces.flatMap(actions))),
    section("Files named", [...new Set(pieces.flatMap(files))]),
    section("Errors", pieces.flatMap(errors)),
    section("The last messages", lastLines(pieces), LAST_CHARS_MAX),
  ];
  return clip(sections.filter((text) => text !== "").join("\n\n"), LOCAL_SUMMARY_CHARS_MAX);
}

/** The newest items win: what is open is at the end. */
function section(title: string, items: readonly string[], charsMax = SECTION_CHARS_MAX): string {
  const kept: string[] = [];
  let chars = 0;
  for (const item of items.toReversed()) {
    chars += item.length + 3;
    if (chars > charsMax && kept.length > 0) break;
    kept.unshift(`- ${item}`);
  }
  if (kept.length === 0) return "";
  const missing = items.length - kept.length;
  return [`## ${title}`, ...(missing > 0 ? [`- (${missing} earlier ones left out)`] : []), ...kept].join("\n");
}

function asks(piece: Piece): readonly string[] {
  return piece.kind === "user" ? [oneLine(piece.text)] : [];
}

function actions(piece: Piece): readonly string[] {
  if (piece.kind !== "assistant") return [];
  return piece.calls.map(({ name, arguments: args }) => oneLine(`${name} ${redact(args)}`));
}

/** Repeated calls are one line. */
function counted(items: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].map(([item, count]) => (count === 1 ? item : `${item} (${count} times)`));
}

/** Values of arguments that are called like a path. */
const PATH_ARGUMENT =
  /"(?:path|file|file_?path|file_?name|filename|cwd|dir|directory)"\s*:\s*"((?:[^"\\]|\\.){1,300})"/gi;

function files(piece: Piece): readonly string[] {
  if (piece.kind !== "assistant") return [];
  return piece.calls.flatMap(({ arguments: args }) =>
    Array.from(args.matchAll(PATH_ARGUMENT), ([, path = ""]) => oneLine(path)),
  );
}

function errors(piece: Piece): readonly string[] {
  return piece.kind === "result" && piece.isError ? [oneLine(`${piece.name}: ${piece.text}`)] : [];
}

function lastLines(pieces: readonly Piece[]): readonly string[] {
  return pieces
    .filter(({ kind }) => kind !== "none")
    .slice(-LAST_MESSAGES)
    .flatMap((piece) => lineOf(piece, LINE_CHARS_MAX))
    .map((line) => line.replace(/\s+/g, " "));
}

function oneLine(text: string): string {
  const line = redact(text).replace(/\s+/g, " ").trim();
  return line.length <= ITEM_CHARS_MAX ? line : `${line.slice(0, ITEM_CHARS_MAX - 1).toWellFormed()}…`;
}

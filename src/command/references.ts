/**
 * `@file:`, `@folder:`, `@diff`, `@staged`, `@git:` and `@url:` in what a person writes: what they name is put below the
 * message, so that the model has it without asking. The person's own words stay as they are. Bounded in number, size
 * and time; what was left out, and why, is said both to the person and in the message.
 */
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import { ATTACHED_MARK } from "./reference/attached.js";
import { askGit, type GitQuestion } from "./reference/git.js";
import { type LocalText, readLocalFile, readLocalFolder } from "./reference/read-local.js";
import type { ReadPage } from "./reference/read-page.js";

/** Of one message; what is beyond is left out. */
export const REFERENCES_MAX = 20;
/** Of everything that is put below a message. */
export const ATTACHED_CHARS_MAX = 200_000;
export const REFERENCES_MS_MAX = 30_000;

export interface ReferencePlace {
  /** Of the conversation. */
  readonly cwd: string;
  /** The home's root. */
  readonly home: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent: `@url:` is left as it is, and that is said. */
  readonly readPage?: ReadPage;
}

export interface Expanded {
  /** What is said: the person's words, and below them what they named. */
  readonly text: string;
  /** What was left out, a sentence each. */
  readonly notes: readonly string[];
}

export async function expandReferences(text: string, place: ReferencePlace): Promise<Expanded> {
  const references = referencesIn(text);
  if (references.length === 0) return { text, notes: [] };
  const shown = references.slice(0, REFERENCES_MAX);
  const left = references.length - shown.length;
  const notes = left === 0 ? [] : [`${left} more references were left out: a message has at most ${REFERENCES_MAX}.`];
  const limit = { clock: place.clock, timeMs: REFERENCES_MS_MAX, signal: place.signal };
  const blocks = await withDeadline(limit, (signal) => attach(shown, { ...place, signal }, notes));
  return { text: blocks === "" ? text : `${text}${ATTACHED_MARK}${blocks}`, notes };
}

interface Reference {
  /** As it was written. */
  readonly written: string;
  readonly kind: "file" | "folder" | "diff" | "staged" | "git" | "url";
  readonly value: string;
}

const REFERENCE =
  /(?<![\w@/.])@(?:(?<plain>diff|staged)(?![\w:./-])|(?<kind>file|folder|git|url):(?:"(?<quoted>[^"\n]+)"|`(?<ticked>[^`\n]+)`|(?<bare>[^\s"`]+)))/g;
const FENCED = /```[\s\S]*?(?:```|$)/g;

/** Each once, in the order they were written; what stands in a fenced block is quoted and means nothing. */
function referencesIn(text: string): readonly Reference[] {
  const spoken = text.replace(FENCED, (block) => " ".repeat(block.length));
  const found = new Map<string, Reference>();
  for (const { groups = {} } of spoken.matchAll(REFERENCE)) {
    const { plain, kind, quoted, ticked, bare } = groups;
    const value = quoted ?? ticked ?? bare?.replace(/[.,;:!?)\]}'’”]+$/, "") ?? "";
    const word = (plain ?? kind ?? "") as Reference["kind"];
    if (plain === undefined && value === "") continue;
    const written = plain === undefined ? `@${word}:${value}` : `@${word}`;
    if (!found.has(written)) found.set(written, { written, kind: word, value });
  }
  return [...found.values()];
}

async function attach(references: readonly Reference[], place: ReferencePlace, notes: string[]): Promise<string> {
  const blocks: string[] = [];
  let room = ATTACHED_CHARS_MAX;
  for (const reference of references) {
    const { written } = reference;
    const read: LocalText = room <= 0 ? FULL : await readReference(reference, place);
    if (read.kind === "failed") {
      notes.push(`${written} was left out: ${read.why}.`);
      blocks.push(`${written} was left out: ${read.why}.`);
      continue;
    }
    const isCut = read.text.length > room;
    const note = isCut ? "cut: the message is full" : read.note;
    if (note !== undefined) notes.push(`Of ${written}: ${note}.`);
    blocks.push(blockOf(written, { text: read.text.slice(0, room).toWellFormed(), note }));
    room -= read.text.length;
  }
  return blocks.join("\n\n");
}

const FULL: LocalText = { kind: "failed", why: "what is named before it fills the message" };

async function readReference({ kind, value }: Reference, place: ReferencePlace): Promise<LocalText> {
  if (place.signal.aborted) return { kind: "failed", why: "it took too long" };
  switch (kind) {
    case "file":
      return readLocalFile(value, place);
    case "folder":
      return readLocalFolder(value, place);
    case "diff":
    case "staged":
      return gitText({ kind }, place);
    case "git":
      return gitText({ kind: "log", commits: /^\d{1,4}$/.test(value) ? Number(value) : 0 }, place);
    case "url":
      return place.readPage?.(value, place.signal) ?? { kind: "failed", why: "pages are not fetched here" };
  }
}

async function gitText(question: GitQuestion, { cwd }: ReferencePlace): Promise<LocalText> {
  const answer = await askGit(question, cwd);
  if (answer.kind === "failed") return answer;
  if (answer.text.trim() === "") return { kind: "text", text: "(nothing)" };
  return { kind: "text", text: answer.text, ...(answer.isCut ? { note: "only its beginning" } : {}) };
}

/** The fence is longer than any in the text, so that nothing in it ends it. */
function blockOf(
  written: string,
  { text, note }: { readonly text: string; readonly note: string | undefined },
): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${written}${note === undefined ? "" : ` (${note})`}\n${fence}\n${text}\n${fence}`;
}

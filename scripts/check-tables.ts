/**
 * Reads the SQL in the store's sources and finds columns that hold a session id. Only the tables of
 * `TABLES_WITH_SESSION` may, and the tip itself: everything else speaks of conversations, so that a
 * compaction cannot leave a stale id behind. A *session key* (a chat's address) is another thing and may
 * be anywhere.
 */
import ts from "typescript";
import { TABLES_WITH_SESSION, TIP_POINTER } from "./layers.js";
import { isTestFile, type SourceFile, visit } from "./sources.js";

interface Column {
  readonly table: string;
  readonly definition: string;
}

const SESSION_NAME = /^"?(session|session_(id|no|seq|ref|uuid)|\w+_session(?!_?key)\w*)"?$/i;
const SESSION_REFERENCE = /\breferences\s+"?session"?\s*(\(|\b(?!_))/i;
const NOT_A_COLUMN = /^(constraint|primary|unique|check|foreign)\b/i;

export function checkSessionColumns(files: readonly SourceFile[]): { problems: string[]; summary: string } {
  const stores = files.filter((file) => file.path.startsWith("src/store/") && !isTestFile(file.path));
  const problems: string[] = [];
  const tables = new Set<string>();
  for (const file of stores) {
    for (const sql of sqlTexts(file)) {
      for (const { table, definition } of columnsOf(sql)) {
        tables.add(table);
        if (!holdsSession(definition) || TABLES_WITH_SESSION.includes(table) || isTip(table, definition)) continue;
        problems.push(
          `${file.path}: table ${table} holds a session id (${definition.slice(0, 60)}); use the conversation's`,
        );
      }
    }
  }
  return { problems, summary: `${tables.size} tables, session ids only in ${TABLES_WITH_SESSION.join(", ")}` };
}

function isTip(table: string, definition: string): boolean {
  if (table !== TIP_POINTER.table) return false;
  return new RegExp(`^(${TIP_POINTER.column}\\b|foreign key ?\\(.*\\b${TIP_POINTER.column}\\))`, "i").test(definition);
}

export function holdsSession(definition: string): boolean {
  if (SESSION_REFERENCE.test(definition)) return true;
  return !NOT_A_COLUMN.test(definition) && SESSION_NAME.test(definition.split(/\s/)[0] ?? "");
}

/** Every column and table constraint of the tables that a piece of SQL creates, and every column it adds. */
export function columnsOf(sql: string): Column[] {
  const text = sql.replace(/--[^\n]*/g, " ").replace(/\/\*[\s\S]*?\*\//g, " ");
  const found: Column[] = [];
  const create =
    /\bcreate\s+(?:virtual\s+|temp(?:orary)?\s+)?table\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?(?:\s+using\s+\w+)?\s*\(/gi;
  for (const match of text.matchAll(create)) {
    const table = match[1] ?? "";
    for (const definition of splitAtCommas(text, match.index + match[0].length)) found.push({ table, definition });
  }
  for (const [, table = "", definition = ""] of text.matchAll(
    /\balter\s+table\s+"?(\w+)"?\s+add\s+(?:column\s+)?([^;]+)/gi,
  )) {
    found.push({ table, definition: definition.trim() });
  }
  return found;
}

/** Splits at the commas of the outermost level, up to the parenthesis that closes the table. */
function splitAtCommas(text: string, start: number): string[] {
  const parts: string[] = [];
  let depth = 1;
  let from = start;
  for (let at = start; at < text.length && depth > 0; at++) {
    const char = text[at];
    if (char === "'") at = text.indexOf("'", at + 1) < 0 ? text.length : text.indexOf("'", at + 1);
    if (char === "(") depth++;
    if (char === ")") depth--;
    if ((char === "," && depth === 1) || depth === 0) {
      parts.push(text.slice(from, at).trim().replace(/\s+/g, " "));
      from = at + 1;
    }
  }
  return parts;
}

function sqlTexts(file: SourceFile): string[] {
  const texts: string[] = [];
  visit(file.tree, (node) => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      texts.push(node.head.text + node.templateSpans.map((span) => `x${span.literal.text}`).join(""));
    }
    return undefined;
  });
  return texts.filter((text) => /\btable\b/i.test(text));
}

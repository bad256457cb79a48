/**
 * The `.env` file: `NAME=value` lines, `#` comments, an optional `export`, quotes. Values are taken as they
 * are written: nothing is interpolated or executed, and a quoted value ends on its line.
 */

export interface Assignment {
  readonly value: string;
  readonly line: number;
}

export interface EnvFile {
  readonly assignments: ReadonlyMap<string, Assignment>;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

const PROBLEMS_MAX = 20;

export function parseEnvFile(text: string): EnvFile {
  const assignments = new Map<string, Assignment>();
  const problems: { line: number; message: string }[] = [];
  for (const [at, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = at + 1;
    const outcome = parseLine(raw.trim());
    if (outcome.kind === "assignment") assignments.set(outcome.name, { value: outcome.value, line });
    if (outcome.kind === "problem" && problems.length < PROBLEMS_MAX) problems.push({ line, message: outcome.message });
  }
  return { assignments, problems };
}

type Line =
  | { readonly kind: "nothing" }
  | { readonly kind: "assignment"; readonly name: string; readonly value: string }
  | { readonly kind: "problem"; readonly message: string };

function parseLine(line: string): Line {
  if (line === "" || line.startsWith("#")) return { kind: "nothing" };
  const assignment = line.replace(/^export[ \t]+/, "");
  const equals = assignment.indexOf("=");
  if (equals < 0) return { kind: "problem", message: "expected NAME=value" };
  const name = assignment.slice(0, equals).trimEnd();
  // The text itself is not repeated in the message: a misplaced secret would end up on the screen.
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return { kind: "problem", message: "a name holds only letters, digits and _, and does not begin with a digit" };
  }
  const value = parseValue(assignment.slice(equals + 1).trimStart());
  return value.kind === "value" ? { kind: "assignment", name, value: value.text } : value;
}

type Value = { readonly kind: "value"; readonly text: string } | { readonly kind: "problem"; readonly message: string };

function parseValue(text: string): Value {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return { kind: "value", text: text.replace(/(^|[ \t])#.*$/, "").trimEnd() };
  const end = closingQuote(text, quote);
  if (end < 0) return { kind: "problem", message: `the value has no closing ${quote}` };
  const rest = text.slice(end + 1).trim();
  if (rest !== "" && !rest.startsWith("#"))
    return { kind: "problem", message: `there is text after the closing ${quote}` };
  const inner = text.slice(1, end);
  return { kind: "value", text: quote === "'" ? inner : unescaped(inner) };
}

/** Single quotes know no escapes, double quotes know the backslash. */
function closingQuote(text: string, quote: string): number {
  if (quote === "'") return text.indexOf("'", 1);
  for (let at = 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function unescaped(text: string): string {
  const meanings: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$" };
  return text.replace(/\\(.)/g, (whole, letter: string) => meanings[letter] ?? whole);
}

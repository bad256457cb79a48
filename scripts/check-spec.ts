/**
 * Keeps docs/SPEC.md and the tests in step: every rule is cited by a test title (`[BH-3] …`) or is pending
 * and names the work that ends it; a test cites only rules that exist; the count of pending rules may
 * only fall. A pending rule may be cited: one layer shows its part of a promise before the others can. After a full test run, `checkProof` asks for more: each rule has a test that passed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { lineOf, type Report, readSources, type SourceFile, visit } from "./sources.js";

export const SPEC_PATH = "docs/SPEC.md";
/** What may still be missing, in the order in which it comes. */
export const WORKS = ["kernel", "turn", "host", "gateway", "terminal", "learning"] as const;

const RULE_LINE = /^- \*\*([A-Z]{2}-\d+[a-z]?)\*\* \S/;
const CITATION = /\[([A-Z]{2}-\d+[a-z]?)\]/g;
const COUNT_LINE = /^Pending: (\d+) \(may only fall\)$/m;
/** How many earlier versions of the page the ratchet looks at. */
const HISTORY_MAX = 20;

interface Spec {
  readonly rules: ReadonlySet<string>;
  /** Rule → the work that ends it. */
  readonly pending: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

interface Citation {
  readonly rule: string;
  readonly where: string;
}

export function checkSpec(root: string): Report {
  if (!existsSync(join(root, SPEC_PATH)))
    return { problems: [`${SPEC_PATH} does not exist`], warnings: [], summary: "" };
  const text = readFileSync(join(root, SPEC_PATH), "utf8");
  const spec = readSpec(text);
  const citations = [...readSources(root, "src"), ...readSources(root, "test")].flatMap(citationsOf);
  const cited = new Set(citations.map((citation) => citation.rule));
  const problems = [
    ...spec.problems,
    ...citations
      .filter(({ rule }) => !spec.rules.has(rule))
      .map(({ rule, where }) => `${where} cites ${rule}, which is no rule of ${SPEC_PATH}`),
    ...[...spec.rules].flatMap((rule) => ruleProblems(rule, cited.has(rule), spec.pending.get(rule))),
    ...ratchetProblems(root, text, spec.pending.size),
  ];
  return { problems, warnings: [], summary: `${spec.rules.size} rules; ${pendingByWork(spec, cited)}` };
}

/** Given the titles of the tests that passed: rules that are neither pending nor proven by one of them. */
export function checkProof(root: string, passedTitles: readonly string[]): string[] {
  const spec = readSpec(readFileSync(join(root, SPEC_PATH), "utf8"));
  const proven = new Set(passedTitles.flatMap((title) => idsIn(title)));
  return [...spec.rules]
    .filter((rule) => !spec.pending.has(rule) && !proven.has(rule))
    .map((rule) => `${rule} is cited, but no test that cites it ran and passed`);
}

export function readSpec(text: string): Spec {
  const problems: string[] = [];
  const rules = new Set<string>();
  for (const line of text.split("\n")) {
    const rule = RULE_LINE.exec(line)?.[1];
    if (rule && rules.has(rule)) problems.push(`${SPEC_PATH}: ${rule} stands there twice`);
    if (rule) rules.add(rule);
  }
  const pending = new Map<string, string>();
  for (const [work, rule] of pendingRows(text)) {
    if (!WORKS.some((name) => name === work)) problems.push(`${SPEC_PATH}: ${work} is no work (${WORKS.join(", ")})`);
    if (!rules.has(rule)) problems.push(`${SPEC_PATH}: ${rule} is pending, but there is no such rule`);
    if (pending.has(rule)) problems.push(`${SPEC_PATH}: ${rule} is pending twice`);
    pending.set(rule, work);
  }
  const stated = COUNT_LINE.exec(text)?.[1];
  if (stated === undefined) problems.push(`${SPEC_PATH}: the line "Pending: N (may only fall)" is missing`);
  else if (Number(stated) !== pending.size) {
    problems.push(`${SPEC_PATH}: says "Pending: ${stated}", but ${pending.size} rules are; write the true number`);
  }
  return { rules, pending, problems };
}

/** The rows of the table `| work | rules |`, one pair for each rule. */
function pendingRows(text: string): [work: string, rule: string][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^\|\s*work\s*\|\s*rules\s*\|$/.test(line));
  if (start < 0) return [];
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 2, end < 0 ? undefined : end).flatMap((line) => {
    const [, work = "", ids = ""] = line.split("|").map((cell) => cell.trim());
    return ids
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((rule): [string, string] => [work, rule]);
  });
}

function ruleProblems(rule: string, isCited: boolean, work: string | undefined): string[] {
  if (!isCited && !work) return [`${rule} is cited by no test and not pending`];
  return [];
}

/** Pending now against every version that git remembers, the one being edited included. */
function ratchetProblems(root: string, text: string, pending: number): string[] {
  const args = ["log", `-n${HISTORY_MAX}`, "-p", "-U0", "--format=", "--no-color", "--", SPEC_PATH];
  const log = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
  if (log.status !== 0) return [];
  const before = [...log.stdout.matchAll(/^\+Pending: (\d+) \(may only fall\)$/gm)].map((match) => Number(match[1]));
  const least = Math.min(...before);
  if (!COUNT_LINE.test(text) || pending <= least) return [];
  return [`${SPEC_PATH}: ${pending} rules are pending, earlier only ${least} were; the count may only fall`];
}

function pendingByWork({ pending }: Spec, cited: ReadonlySet<string>): string {
  const counts = WORKS.map((work) => [work, [...pending.values()].filter((name) => name === work).length] as const);
  const shown = counts.filter(([, count]) => count > 0).map(([work, count]) => `${work} ${count}`);
  const inPart = [...pending.keys()].filter((rule) => cited.has(rule)).length;
  const part = inPart > 0 ? `, ${inPart} of them shown in part` : "";
  return `${pending.size} pending${shown.length > 0 ? ` (${shown.join(", ")})` : ""}${part}`;
}

/**
 * Rule ids in test titles. A title is the first argument of it/test/describe, also through `.each`; a
 * string elsewhere in a test file that begins with an id is a title in a table of cases. What is skipped
 * or still to do proves nothing.
 */
export function citationsOf(file: SourceFile): Citation[] {
  if (!/\.(test|contract)\.tsx?$/.test(file.path)) return [];
  const found: Citation[] = [];
  visit(file.tree, (node) => {
    if (ts.isCallExpression(node) && /^(it|test|describe|suite)(\.\w+)*\.(skip|todo)\b/.test(node.expression.getText()))
      return false;
    const text = textOf(node);
    if (text === undefined || !(isTitle(node) || /^\[[A-Z]{2}-\d/.test(text))) return undefined;
    for (const rule of idsIn(text)) found.push({ rule, where: `${file.path}:${lineOf(file, node)}` });
    return false;
  });
  return found;
}

function isTitle(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false;
  return /^(it|test|describe|suite)\b/.test(parent.expression.getText());
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => span.literal.text).join("…");
}

function idsIn(title: string): string[] {
  return [...title.matchAll(CITATION)].map((match) => match[1] ?? "");
}

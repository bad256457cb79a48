/**
 * The tail of the size distribution decides how a code base feels, so the tail has hard stops: a file
 * that nobody can read in one sitting, or a function that does not fit a screen or two, is red. Nothing
 * above a limit is stored anywhere, so nothing can creep.
 */
import ts from "typescript";
import { isTestFile, lineOf, type Report, readSources, type SourceFile, visit } from "./sources.js";

export const FILE_LINES_MAX = 600;
export const TEST_FILE_LINES_MAX = 900;
export const FUNCTION_LINES_MAX = 70;
export const COMPONENT_LINES_MAX = 120;

export function checkSize(root: string): Report {
  const files = [...readSources(root, "src"), ...readSources(root, "test")];
  const problems = files.flatMap((file) => [
    ...fileProblems(file),
    ...(isTestFile(file.path) ? [] : functionProblems(file)),
  ]);
  const lengths = files.filter((file) => !isTestFile(file.path)).map(linesOf);
  const sorted = lengths.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return {
    problems,
    warnings: [],
    summary: `${lengths.length} source files, median ${median} lines, longest ${sorted.at(-1) ?? 0}`,
  };
}

function fileProblems(file: SourceFile): string[] {
  const limit = isTestFile(file.path) ? TEST_FILE_LINES_MAX : FILE_LINES_MAX;
  const lines = linesOf(file);
  return lines > limit ? [`${file.path}: ${lines} lines (at most ${limit}); split it by noun`] : [];
}

function functionProblems(file: SourceFile): string[] {
  const problems: string[] = [];
  visit(file.tree, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return undefined;
    const name = nameOf(node);
    const limit = file.path.endsWith(".tsx") && /^[A-Z]/.test(name) ? COMPONENT_LINES_MAX : FUNCTION_LINES_MAX;
    const first = lineOf(file, node);
    const lines = file.tree.getLineAndCharacterOfPosition(node.end).line + 2 - first;
    if (lines > limit) problems.push(`${file.path}:${first} ${name} has ${lines} lines (at most ${limit})`);
    return undefined;
  });
  return problems;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : "a function";
}

function linesOf(file: SourceFile): number {
  return file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0);
}

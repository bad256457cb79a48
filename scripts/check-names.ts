/**
 * Names that say nothing (`SessionManager`, `TurnHelper`) and handlers that hide everything (an empty
 * `catch`) are refused: the first is where files grow without end, the second where conversations get lost.
 */
import ts from "typescript";
import { isTestFile, lineOf, type Report, readSources, type SourceFile, visit } from "./sources.js";

export const BANNED_ENDINGS = [
  "Manager",
  "Helper",
  "Helpers",
  "Util",
  "Utils",
  "Processor",
  "Service",
  "Impl",
  "Data",
  "Info",
];

const BANNED = new RegExp(`(${BANNED_ENDINGS.join("|")})$`);

export function checkNames(root: string): Report {
  const files = readSources(root, "src").filter((file) => !isTestFile(file.path));
  return {
    problems: files.flatMap(problemsOf),
    warnings: [],
    summary: `${files.length} files, no empty name, no empty catch`,
  };
}

function problemsOf(file: SourceFile): string[] {
  const problems: string[] = [];
  visit(file.tree, (node) => {
    const where = `${file.path}:${lineOf(file, node)}`;
    if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      const name = node.name?.text ?? "";
      if (BANNED.test(name)) problems.push(`${where} ${name}: say what it is, not that it is something`);
    }
    if (ts.isCatchClause(node) && node.block.statements.length === 0) {
      problems.push(`${where} an empty catch; translate the error, decide by it, or let it go on`);
    }
    return undefined;
  });
  return problems;
}

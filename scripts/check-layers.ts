/**
 * Keeps `src/` in layers: imports point down only, files form no cycle, a boundary is crossed by
 * `#layer/file.js` and never by a relative path, and time and chance come from `base`. Also keeps
 * session ids out of every table but the four that may hold one.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import ts from "typescript";
import { checkSessionColumns } from "./check-tables.js";
import { isLayer, MAY_IMPORT, readLayerTable } from "./layers.js";
import { isTestFile, lineOf, type Report, readSources, type SourceFile, visit } from "./sources.js";

/** A file with more imports than this probably has two jobs; with more than the second number it surely has. */
export const IMPORTS_WARN = 12;
export const IMPORTS_MAX = 16;

interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

export function checkLayers(root: string): Report {
  const files = readSources(root, "src");
  const known = new Set(files.map((file) => file.path));
  const problems: string[] = [];
  const warnings: string[] = [];
  const graph = new Map<string, string[]>();
  for (const file of files) {
    const imports = importsOf(file);
    problems.push(...imports.flatMap((found) => importProblems(file, found)));
    if (isTestFile(file.path)) continue;
    graph.set(
      file.path,
      imports.filter((found) => !found.typeOnly).flatMap((found) => resolveImport(file.path, found.specifier, known)),
    );
    problems.push(...ambientUses(file));
    const count = file.tree.statements.filter(ts.isImportDeclaration).length;
    if (count > IMPORTS_MAX) problems.push(`${file.path}: ${count} imports (at most ${IMPORTS_MAX}); split it`);
    else if (count > IMPORTS_WARN) warnings.push(`${file.path}: ${count} imports (aim for ${IMPORTS_WARN} or fewer)`);
  }
  problems.push(...cycles(graph).map((cycle) => `import cycle: ${cycle.join(" → ")}`));
  const tables = checkSessionColumns(files);
  problems.push(...tables.problems, ...architectureProblems(root));
  return { problems, warnings, summary: `${files.length} files, no upward import, no cycle; ${tables.summary}` };
}

function importProblems(file: SourceFile, { specifier, line }: Import): string[] {
  const where = `${file.path}:${line}`;
  const from = file.path.split("/")[1] ?? "";
  if (!isLayer(from))
    return [`${where} src/${from} is not a layer; add it to scripts/layers.ts with a decision record`];
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(file.path), specifier);
    if (target.startsWith(`src/${from}/`)) return [];
    if (!target.startsWith("src/")) return isTestFile(file.path) ? [] : [`${where} imports ${specifier}, outside src/`];
    return [`${where} imports ${specifier} across layers by a relative path; write #${target.slice("src/".length)}`];
  }
  if (!specifier.startsWith("#")) return [];
  const to = specifier.slice(1).split("/")[0] ?? "";
  if (!isLayer(to)) return [`${where} imports ${specifier}, but ${to} is not a layer`];
  if (to === from) return [`${where} imports ${specifier} of its own layer; write a relative path`];
  if (MAY_IMPORT[from].includes(to)) return [];
  return [`${where} ${from} may not import ${to} (${specifier})`];
}

function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    found.push({ specifier: specifier.text, line: lineOf(file, node), typeOnly });
  };
  visit(file.tree, (node) => {
    // With verbatimModuleSyntax `import { type A }` still loads the module; only `import type` does not.
    if (ts.isImportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, true);
    else if (ts.isCallExpression(node) && isModuleCall(node)) add(node, node.arguments[0], false);
    return undefined;
  });
  return found;
}

function isModuleCall(call: ts.CallExpression): boolean {
  if (call.expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isIdentifier(call.expression) && call.expression.text === "require";
}

function resolveImport(from: string, specifier: string, known: ReadonlySet<string>): string[] {
  const base = specifier.startsWith("#")
    ? `src/${specifier.slice(1)}`
    : specifier.startsWith(".")
      ? posix.join(dirname(from), specifier)
      : undefined;
  const stem = base?.replace(/\.js$/, "");
  return [`${stem}.ts`, `${stem}.tsx`].filter((path) => known.has(path));
}

/** Every group of files that reach each other (Tarjan's strongly connected components). */
export function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const connect = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    low.set(node, own);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = index.has(next) ? (stack.includes(next) ? (index.get(next) ?? own) : own) : connect(next);
      low.set(node, Math.min(low.get(node) ?? own, reached));
    }
    const lowest = low.get(node) ?? own;
    if (lowest !== own) return lowest;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || graph.get(node)?.includes(node)) found.push([...group, node]);
    return own;
  };
  for (const node of graph.keys()) if (!index.has(node)) connect(node);
  return found;
}

const AMBIENT_MEMBERS = new Set(["Date.now", "Math.random", "crypto.randomUUID", "globalThis.crypto.randomUUID"]);
const AMBIENT_NAMES = new Set(["setTimeout", "setInterval", "setImmediate", "randomUUID"]);
const AMBIENT_MODULES = new Set(["node:timers", "node:timers/promises", "timers", "timers/promises"]);

/** Time, timers and chance are handed in; a test could not stop or repeat what a file fetches for itself. */
function ambientUses(file: SourceFile): string[] {
  if (file.path.startsWith("src/base/")) return [];
  const problems: string[] = [];
  visit(file.tree, (node) => {
    if (ts.isTypeNode(node)) return false;
    const name = ambientName(node);
    if (name)
      problems.push(`${file.path}:${lineOf(file, node)} uses ${name}; take it from #base (clock, ids) as a value`);
    return name === undefined ? undefined : false;
  });
  return problems;
}

function ambientName(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) return "new Date()";
  if (ts.isCallExpression(node) && node.expression.getText() === "Date") return "Date()";
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText();
    if (AMBIENT_MEMBERS.has(text)) return text;
    return node.expression.getText() === "globalThis" && AMBIENT_NAMES.has(node.name.text) ? text : undefined;
  }
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    if (AMBIENT_MODULES.has(node.moduleSpecifier.text)) return node.moduleSpecifier.text;
  }
  if (!ts.isIdentifier(node) || !AMBIENT_NAMES.has(node.text)) return undefined;
  return isOwnName(node) ? undefined : node.text;
}

/** A property or method that merely has the name: `clock.setTimeout`, `{ setTimeout: … }`. */
function isOwnName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (
    (ts.isPropertyAssignment(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent)) && parent.name === node
  );
}

function architectureProblems(root: string): string[] {
  const path = join(root, "ARCHITECTURE.md");
  if (!existsSync(path)) return [];
  const table = readLayerTable(readFileSync(path, "utf8"));
  if (!table) return ["ARCHITECTURE.md: no table `| layer | may import |`"];
  const names = new Set([...Object.keys(MAY_IMPORT), ...table.keys()]);
  return [...names].flatMap((name) => {
    const data = isLayer(name) ? [...MAY_IMPORT[name]].sort().join(", ") : "no such layer";
    const shown = table.has(name) ? [...(table.get(name) ?? [])].sort().join(", ") : "no row";
    return data === shown ? [] : [`ARCHITECTURE.md: ${name} imports "${shown}", scripts/layers.ts says "${data}"`];
  });
}

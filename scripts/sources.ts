/** What the checks share: the TypeScript files below a folder, parsed, and the shape of a check's answer. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface Report {
  /** Each one makes the gate red: `file:line what is wrong and what to do`. */
  readonly problems: readonly string[];
  /** Shown, never red. */
  readonly warnings: readonly string[];
  /** One line for the person who reads a green run. */
  readonly summary: string;
}

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** Suites count as tests: they run only inside one. */
export function isTestFile(path: string): boolean {
  return /\.(test|contract)\.tsx?$/.test(path) || path.startsWith("test/");
}

export function readSources(root: string, folder: string): SourceFile[] {
  return listFiles(root, folder)
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const kind = path.endsWith(".tsx") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
      return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind) };
    });
}

export function listFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listFiles(root, path);
      return [path];
    })
    .sort();
}

/** Calls `see` for every node, outermost first; when it answers false, the node's children are left out. */
export function visit(node: ts.Node, see: (node: ts.Node) => boolean | undefined): void {
  if (see(node) === false) return;
  ts.forEachChild(node, (child) => visit(child, see));
}

export function lineOf(file: SourceFile, node: ts.Node): number {
  return file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree)).line + 1;
}

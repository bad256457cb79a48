/**
 * Module hooks of the plugin host: a `.ts` file is stripped of its types when it is imported, and `./x.js` finds `x.ts`
 * where there is no `x.js`. Runs in Node's own thread for such hooks; the stripper is loaded with the first `.ts` file.
 */
import { readFile } from "node:fs/promises";
import type { LoadHook, ResolveHook } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    const isRelative = /^\.{1,2}\//.test(specifier);
    const isTypescript = context.parentURL !== undefined && TYPESCRIPT.test(context.parentURL);
    if (!isMissing || !isRelative || !isTypescript) throw error;
    const source = /\.m?js$/.test(specifier) ? specifier.replace(/js$/, "ts") : `${specifier}.ts`;
    // Whatever is wrong with the guess, the person wrote the other name.
    return await Promise.resolve(next(source, context)).catch(() => Promise.reject(error));
  }
};

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith("file:") || !TYPESCRIPT.test(url)) return next(url, context);
  return { format: "module", source: await strip(fileURLToPath(url)), shortCircuit: true };
};

const TYPESCRIPT = /\.m?ts$/;

async function strip(path: string): Promise<string> {
  const { transform } = await import("@swc/wasm-typescript");
  const source = await readFile(path, "utf8");
  const options = { filename: basename(path), module: true };
  try {
    // Types become blanks: every line and column of a stack is the one in the file.
    return (await transform(source, { ...options, mode: "strip-only" })).code;
  } catch (error) {
    if ((error as StripError).code !== "UnsupportedSyntax") throw syntaxError(path, error as StripError);
  }
  try {
    return (await transform(source, { ...options, mode: "transform" })).code;
  } catch (error) {
    throw syntaxError(path, error as StripError);
  }
}

/** What the stripper throws: an object, not an Error. */
interface StripError {
  readonly code?: string;
  readonly message?: string;
  readonly startLine?: number;
}

function syntaxError(path: string, { message, startLine }: StripError): SyntaxError {
  const place = startLine === undefined ? basename(path) : `${basename(path)}:${startLine}`;
  return new SyntaxError(`${place}: ${message ?? "not TypeScript"}`);
}

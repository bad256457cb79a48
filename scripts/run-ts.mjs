/**
 * Runs a TypeScript script of this repository: bundles it (packages stay outside, `#layer/file.js` is
 * resolved) into node_modules/.cache/talaria and imports the result with the arguments it was given.
 * A bundle whose inputs have not changed is used again, so that starting a script a thousand times
 * costs a thousand starts of Node and one bundling.
 *
 *   node scripts/run-ts.mjs test/chaos/writer.ts [arguments]
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, "node_modules", ".cache", "talaria");

/** Imports the script in this process; `process.argv` is the caller's to set. */
export async function runTs(script) {
  await import(pathToFileURL(await bundleTs(script)).href);
}

/** The path of a plain JavaScript module that does what the script does, for `node <path>`. */
export async function bundleTs(script) {
  const source = relative(root, resolve(script));
  const name = `${basename(source).replace(/\.tsx?$/, "")}-${createHash("sha256").update(source).digest("hex").slice(0, 8)}`;
  const outfile = join(cache, `${name}.mjs`);
  const inputsFile = join(cache, `${name}.json`);
  if (isFresh(outfile, inputsFile)) return outfile;
  const startedAtMs = Date.now();
  const { build } = await import("esbuild");
  const result = await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: "inline",
    metafile: true,
    logLevel: "error",
    write: false,
  });
  mkdirSync(cache, { recursive: true });
  const inputs = Object.keys(result.metafile.inputs).map((file) => [file, signature(file, startedAtMs)]);
  replace(outfile, result.outputFiles[0].contents);
  replace(inputsFile, JSON.stringify(inputs));
  return outfile;
}

function isFresh(outfile, inputsFile) {
  if (!existsSync(outfile) || !existsSync(inputsFile)) return false;
  const inputs = JSON.parse(readFileSync(inputsFile, "utf8"));
  return inputs.every(([file, seen]) => seen !== "changing" && signature(file) === seen);
}

/** A file edited after `beforeMs` may have been read before the edit: it gets a signature that never matches. */
function signature(file, beforeMs = Number.POSITIVE_INFINITY) {
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  return stat && stat.mtimeMs < beforeMs ? `${stat.size} ${stat.mtimeMs}` : "changing";
}

/** By rename: another process may be about to import the file. */
function replace(file, contents) {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, contents);
  renameSync(temporary, file);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [script, ...args] = process.argv.slice(2);
  if (!script) {
    process.stderr.write("usage: node scripts/run-ts.mjs <script.ts> [arguments]\n");
    process.exit(2);
  }
  process.argv = [process.argv[0], resolve(script), ...args];
  await runTs(script);
}

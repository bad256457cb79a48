/**
 * Bundles the program into dist/: one entry for the command, one for each worker thread, and shared
 * chunks that are loaded when they are needed. Only the native SQLite driver stays outside.
 *
 * Never leaves half a build: everything is bundled in memory, written beside dist/ and renamed into
 * place, chunks (named by their content) before the entries that name them, the stamp last. The chunks
 * of the build before stay for one round, because a running program may not have loaded them yet.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { BUILD_STAMP, buildFingerprint, readJson } = createRequire(import.meta.url)("./freshness.cjs");

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const ENTRIES = {
  main: "src/cli/main.ts",
  "store-worker": "src/store/sqlite/worker.ts",
  "plugin-host": "src/plugin/host/main.ts",
  "plugin-loader": "src/plugin/host/loader.ts",
  "plugin-watchdog": "src/plugin/host/watchdog.ts",
};
/** The first is native and finds its binary beside its own files; the second is one large file that few need. */
const EXTERNAL = ["@photostructure/sqlite", "@swc/wasm-typescript"];
/** What platform libraries use when somebody installed it beside them, and do without otherwise. */
const EXTERNAL_OPTIONAL = ["bufferutil", "utf-8-validate", "zlib-sync"];
/** The ES module build: of a bundled CommonJS module a lazy `import("yaml")` would only see `default`. */
const ALIAS = {
  yaml: join(root, "node_modules", "yaml", "browser", "index.js"),
  // A fallback for Node versions long gone; its own dependency warns on the newer ones.
  "whatwg-url": "node:url",
};
/** zod brings its messages in fifty languages; we show the English ones, and every start would read them all. */
const ONE_LOCALE = {
  name: "one-locale",
  setup({ onLoad }) {
    const contents = 'export { default as en } from "./en.js";';
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }));
  },
};
/** CommonJS packages inside an ES module still call require for Node's own modules. */
const REQUIRE_BANNER =
  'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);';

// Taken before the sources are read: an edit during the build makes the result stale, never falsely fresh.
const fingerprint = buildFingerprint(root);
const previous = readJson(join(root, BUILD_STAMP))?.files ?? [];
const outputs = await bundle();
install(outputs);

async function bundle() {
  const present = Object.entries(ENTRIES).filter(([, source]) => existsSync(join(root, source)));
  const result = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(present),
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: [...EXTERNAL, ...EXTERNAL_OPTIONAL],
    alias: ALIAS,
    plugins: [ONE_LOCALE],
    sourcemap: "linked",
    banner: { js: REQUIRE_BANNER },
    legalComments: "linked",
    logLevel: "error",
    write: false,
  }).catch(() => process.exit(1));
  return result.outputFiles.map(({ path, contents }) => ({ file: relative(dist, path), contents }));
}

function install(files) {
  const fresh = join(root, "dist", `.new-${process.pid}`);
  rmSync(join(root, BUILD_STAMP), { force: true });
  for (const { file, contents } of files) {
    mkdirSync(dirname(join(fresh, file)), { recursive: true });
    writeFileSync(join(fresh, file), contents);
  }
  for (const { file } of [...files].sort((a, b) => rank(a.file) - rank(b.file))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    renameSync(join(fresh, file), join(dist, file));
  }
  const names = files.map(({ file }) => file).sort();
  writeFileSync(join(fresh, "stamp"), JSON.stringify({ fingerprint, files: names }));
  renameSync(join(fresh, "stamp"), join(root, BUILD_STAMP));
  removeOld(new Set([...names, ...previous, basename(BUILD_STAMP)]));
}

/** Chunks first, then entries; a map before the file that names it. */
function rank(file) {
  return (file.startsWith("chunks/") ? 0 : 2) + (file.endsWith(".js") ? 1 : 0);
}

function removeOld(keep) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = relative(dist, join(entry.parentPath ?? entry.path, entry.name));
    if (!entry.isDirectory() && !keep.has(file)) rmSync(join(dist, file), { force: true });
  }
  for (const name of readdirSync(dist)) {
    if (name.startsWith(".new-")) rmSync(join(dist, name), { recursive: true, force: true });
  }
}

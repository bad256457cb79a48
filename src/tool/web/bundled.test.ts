import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { packageRoot } from "#base/package-root.js";

/** The packages that read pages differ in how they export; the bundle is what people run. */
it("reads a page with the same packages when it is bundled", async () => {
  const folder = mkdtempSync(join(tmpdir(), "talaria-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  await build({
    absWorkingDir: packageRoot(),
    entryPoints: { readable: "src/tool/web/readable.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    banner: { js: 'import { createRequire as r } from "node:module"; const require = r(import.meta.url);' },
    logLevel: "error",
  });
  const { readable } = (await import(
    pathToFileURL(join(folder, "readable.mjs")).href
  )) as typeof import("./readable.js");
  const words = "A sentence that is long enough to be taken for something somebody wrote to be read. ".repeat(8);
  const html = `<html><body><nav>Menu</nav><article><h2>Head</h2><p>${words}</p><p>${words}</p></article></body></html>`;
  const page = {
    url: "http://example.com/",
    status: 200,
    contentType: "text/html",
    bytes: Buffer.from(html),
    isCut: false,
  };
  const read = await readable(page);
  expect(read).toMatchObject({ kind: "text", text: expect.stringContaining("## Head") });
  expect(read).not.toMatchObject({ text: expect.stringContaining("Menu") });
});

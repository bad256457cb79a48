import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.js";

/**
 * Forks rather than threads: a native driver that dies takes one file's results with it, not the run.
 * `#layer/file.js` needs nothing here: the package's own "imports" map it to the sources.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    alias: [{ find: /^fast-check$/, replacement: fileURLToPath(new URL("test/setup/chance.ts", import.meta.url)) }],
    include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/setup/global.ts"],
    pool: "forks",
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // For what hangs, not for what is slow: a machine may have other things to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    teardownTimeout: 10_000,
  },
});

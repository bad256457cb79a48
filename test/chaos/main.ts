/**
 * Fault injection that anyone can re-run against the build they use.
 *
 *   npm run chaos -- store [--kills N] [--cuts N] [--seed S] [--quick] [--plant NAME] [--json] [--keep]
 *   npm run chaos -- turn [--kills N] [--seed S] [--quick] [--plant NAME] [--json] [--keep]
 *   npm run chaos -- gateway [--kills N] [--seed S] [--quick] [--plant NAME] [--json]
 */
import { parseArgs } from "node:util";
import { UserError } from "#base/errors.js";
import { ALL_TURN_PLANTS } from "../crash/plants.js";
import { endChildren } from "./child.js";
import {
  FULL_GATEWAY,
  type GatewayChaosResult,
  gatewayRows,
  QUICK_GATEWAY,
  runGatewayChaos,
  STORM_PLANTS,
} from "./gateway.js";
import { PLANTS, type Plant } from "./plants.js";
import { asJson, type ChaosResult, complaint, progressLine, type Row, table } from "./report.js";
import { FULL, QUICK, runStoreChaos, type StoreChaosResult, storeRows } from "./store.js";
import { FULL_TURN, QUICK_TURN, runTurnChaos, type TurnChaosResult, turnRows } from "./turn.js";

const COUNT_MAX = 1_000_000;
const HELP = `Usage: npm run chaos -- store|turn|gateway [options]

store  kills a writing process at random and at named fault points, cuts its
       log, and checks after each that nothing acknowledged is lost, doubled or
       half there
turn   kills the program while it runs turns with calls, questions to a person
       and compactions, starts it until all is done, and compares what is there
       with what was said
gateway
       kills the gateway while a Telegram on loopback gives it every message
       again and again, and checks that each has one turn and one reply, in
       order and in its own chat

  --kills N      processes to kill (default ${FULL.kills}, turn: ${FULL_TURN.kills}, gateway: ${FULL_GATEWAY.kills})
  --cuts N       store: cuts of the write-ahead log (default ${FULL.cuts})
  --quick        ${QUICK.kills} kills and ${QUICK.cuts} cuts; turn: ${QUICK_TURN.kills} kills; gateway: ${QUICK_GATEWAY.kills}
  --seed S       repeat another run's choices
  --plant NAME   run a copy of the program with a known bug, to see it found; a
                 wrong name lists them
  --json         one JSON object instead of a table
  --keep         store, turn: leave the folders of runs that failed
`;

const RUNS: Readonly<Record<string, (values: Values, signal: AbortSignal) => Promise<Done>>> = {
  store: runStore,
  turn: runTurn,
  gateway: runGateway,
};

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
  const [what, ...more] = positionals;
  const run = what !== undefined && Object.hasOwn(RUNS, what) ? RUNS[what] : undefined;
  if (run === undefined || more.length > 0)
    throw new UserError(
      `there is nothing to run for "${positionals.join(" ")}"`,
      `use: npm run chaos -- ${Object.keys(RUNS).join("|")}`,
      2,
    );
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupt(stop));
  const { result, rows, command } = await run(values, stop.signal);
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  process.stdout.write(`${values.json ? asJson(result) : table(result, rows)}\n`);
  process.exitCode = conclude(result, command, values.keep ?? false);
}

type Values = ReturnType<typeof readArgs>["values"];

interface Done {
  readonly result: ChaosResult;
  readonly rows: readonly Row[];
  /** How to see it again. */
  readonly command: string;
}

async function runStore(values: Values, signal: AbortSignal): Promise<Done> {
  const usual = values.quick ? QUICK : FULL;
  const kills = count("kills", values.kills) ?? usual.kills;
  const cuts = count("cuts", values.cuts) ?? usual.cuts;
  const common = { ...commonOptions(values, PLANTS), signal };
  const onProgress = (now: StoreChaosResult): void =>
    showProgress(progressLine(now, kills, `${now.cuts}/${cuts} cuts, ${now.acks} answers`));
  const result = await runStoreChaos({ kills, cuts, ...common, isTracing: true, ...ifTerminal({ onProgress }) });
  const command = `npm run chaos -- store --kills ${kills} --cuts ${cuts} --seed ${common.seed}${planted(values)}`;
  return { result, rows: storeRows(result), command };
}

async function runTurn(values: Values, signal: AbortSignal): Promise<Done> {
  if (values.cuts !== undefined) throw new UserError("--cuts is for the store", undefined, 2);
  const kills = count("kills", values.kills) ?? (values.quick ? QUICK_TURN : FULL_TURN).kills;
  const common = { ...commonOptions(values, ALL_TURN_PLANTS), signal };
  const onProgress = (now: TurnChaosResult): void => showProgress(progressLine(now, kills, `${now.errands} turns`));
  const result = await runTurnChaos({ kills, ...common, ...ifTerminal({ onProgress }) });
  const command = `npm run chaos -- turn --kills ${kills} --seed ${common.seed}${planted(values)}`;
  return { result, rows: turnRows(result), command };
}

async function runGateway(values: Values, signal: AbortSignal): Promise<Done> {
  if (values.cuts !== undefined) throw new UserError("--cuts is for the store", undefined, 2);
  if (values.keep === true) throw new UserError("--keep is for store and turn", undefined, 2);
  const isQuick = values.quick ?? false;
  const kills = count("kills", values.kills) ?? (isQuick ? QUICK_GATEWAY : FULL_GATEWAY).kills;
  if (kills === 0) throw new UserError("--kills 0 leaves nothing to look at", undefined, 2);
  const { isKeeping: _, ...common } = commonOptions(values, STORM_PLANTS);
  const onProgress = (now: GatewayChaosResult): void =>
    showProgress(progressLine(now, kills, `${now.messages} messages, ${now.deliveries} deliveries`));
  const result = await runGatewayChaos({ kills, isQuick, ...common, signal, ...ifTerminal({ onProgress }) });
  const form = isQuick ? " --quick" : "";
  const command = `npm run chaos -- gateway${form} --kills ${kills} --seed ${common.seed}${planted(values)}`;
  return { result, rows: gatewayRows(result), command };
}

function commonOptions(values: Values, plants: Readonly<Record<string, Plant>>) {
  return {
    seed: count("seed", values.seed, 2 ** 32) ?? freshSeed(),
    ...(values.plant !== undefined && { plant: plantNamed(values.plant, plants) }),
    isKeeping: values.keep ?? false,
  };
}

/** Says what went wrong and how to see it again; returns the exit code. */
function conclude(result: ChaosResult, command: string, isKeeping: boolean): number {
  if (result.wasInterrupted) {
    process.stderr.write("chaos: interrupted; what was done so far is above\n");
    return 130;
  }
  if (result.violations.length === 0) return 0;
  process.stderr.write(`\n${complaint(result, command)}\n`);
  const kept = new Set(isKeeping ? result.violations.map(({ folder }) => folder) : []);
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

function count(name: string, text: string | undefined, max = COUNT_MAX): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new UserError(`--${name} ${text} is not a number from 0 to ${max}`, undefined, 2);
}

function plantNamed(name: string, plants: Readonly<Record<string, Plant>>): Plant {
  const plant = Object.hasOwn(plants, name) ? plants[name] : undefined;
  if (plant !== undefined) return plant;
  throw new UserError(`there is no plant "${name}"`, `there are: ${Object.keys(plants).join(", ")}`, 2);
}

function planted({ plant }: Values): string {
  return plant === undefined ? "" : ` --plant ${plant}`;
}

function freshSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

function ifTerminal<T extends object>(options: T): Partial<T> {
  return process.stderr.isTTY ? options : {};
}

function showProgress(line: string): void {
  process.stderr.write(`\r\x1b[K${line}`);
}

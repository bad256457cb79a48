/**
 * `npm run bench [-- --quick] [--json] [section …]`: our figures beside the raw limit, measured in one run on one
 * machine. Ratios travel, absolute times do not. Nothing here is a test: a miss is a line that says so.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchAppend } from "./append.js";
import { benchGateway } from "./gateway.js";
import { generateStore } from "./generate.js";
import {
  benchDeleting,
  benchLoading,
  benchOpening,
  benchReading,
  benchRoutes,
  benchSweep,
  writeUntilKilled,
} from "./history.js";
import { benchHost } from "./host.js";
import { printRow, type Row } from "./report.js";
import { benchSearch } from "./search.js";
import { benchTurn } from "./turn.js";
import { benchRequests } from "./turn-load.js";
import { benchProcesses } from "./turn-process.js";

const args = process.argv.slice(2);
const writerAt = args.indexOf("--writer");
const SECTIONS = ["process", "turn", "load", "append", "gateway", "history", "search", "host"];
const FLAGS = ["--quick", "--json"];
if (writerAt >= 0) await writeUntilKilled(args[writerAt + 1] ?? "");
else if (args.every((arg) => SECTIONS.includes(arg) || FLAGS.includes(arg))) await main();
else explain();

/** The whole of it takes some ten minutes: nobody should get that for a word that was mistyped. */
function explain(): void {
  const isAsked = args.includes("--help") || args.includes("-h");
  const usage = `npm run bench [-- ${FLAGS.map((flag) => `[${flag}]`).join(" ")} [section …]]\nsections: ${SECTIONS.join(", ")} (all unless told)\n`;
  (isAsked ? process.stdout : process.stderr).write(usage);
  process.exitCode = isAsked ? 0 : 2;
}

async function main(): Promise<void> {
  const isQuick = args.includes("--quick");
  const isJson = args.includes("--json");
  const sections = args.filter((arg) => !arg.startsWith("--"));
  const wants = (name: string): boolean => sections.length === 0 || sections.includes(name);
  const folder = mkdtempSync(join(tmpdir(), "talaria-bench-"));
  const rows: Row[] = [];
  const emit = (row: Row): void => {
    rows.push(row);
    if (!isJson) printRow(row);
  };
  try {
    if (wants("process")) await benchProcesses(join(folder, "processes"), isQuick, emit);
    if (wants("turn")) await benchTurn(join(folder, "turns"), isQuick, emit);
    if (wants("load")) await benchRequests(join(folder, "requests"), emit);
    if (wants("append")) await benchAppend(folder, isQuick, emit);
    if (wants("gateway")) await benchGateway(mkdtempSync("/tmp/tg-"), isQuick, emit);
    if (wants("history") || wants("search") || wants("host")) await benchLarge(folder, { isQuick, wants, emit });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (isJson) process.stdout.write(`${JSON.stringify({ isQuick, rows }, null, 2)}\n`);
  else
    process.stdout.write(
      `${rows.filter((row) => row.holds).length} hold, ${rows.filter((row) => row.holds === false).length} miss\n`,
    );
  // The store's connections live as long as their process; there is nothing left to wait for.
  process.exit(0);
}

interface Large {
  readonly isQuick: boolean;
  readonly wants: (name: string) => boolean;
  readonly emit: (row: Row) => void;
}

async function benchLarge(folder: string, { isQuick, wants, emit }: Large): Promise<void> {
  const conversations = isQuick ? 10_000 : 100_000;
  const small = join(folder, "small.db");
  const large = join(folder, "large.db");
  const search = join(folder, "large-search.db");
  await generateStore({ state: small }, { conversations: 100, messagesEach: 10, routes: 10 });
  process.stderr.write(
    `making a store of ${conversations.toLocaleString("en")} sessions and ${(conversations * 10).toLocaleString("en")} messages …\n`,
  );
  await generateStore({ state: large, search }, { conversations, messagesEach: 10, routes: conversations / 10 });
  if (wants("host")) await benchHost({ folder: mkdtempSync("/tmp/tb-"), large, isQuick }, emit);
  if (wants("history")) {
    await benchReading(small, large, emit);
    await benchLoading(folder, emit);
    await benchRoutes(large, folder, emit);
    await benchDeleting(large, folder, emit);
    await benchSweep({ small, large }, folder, emit);
    await benchOpening({ small, large }, folder, emit);
  }
  if (wants("search")) {
    await benchSearch({ small, state: large, search, messages: conversations * 10 }, emit);
    const each = (statSync(large).size + statSync(search).size) / (conversations * 10);
    emit({
      section: "search",
      work: "bytes kept per message, index included",
      ours: each.toFixed(0),
      target: "≤ 2,200",
      holds: each <= 2_200,
    });
  }
}

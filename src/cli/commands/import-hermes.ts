/** Runs an import from hermes-agent and tells what came in. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HermesReport } from "#app/hermes/import-hermes.js";
import { UserError } from "#base/errors.js";
import { truncate, visible } from "#base/text-width.js";
import { expand, type HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { formatCount, formatPlural } from "../format.js";
import { withWriter } from "./sessions-store.js";
import { wrapText } from "./sessions-wrap.js";

export interface HermesCommandOptions {
  readonly dryRun?: boolean;
}

export async function importHermesHome(
  context: CliContext,
  dir: string | undefined,
  options: HermesCommandOptions,
): Promise<void> {
  const source = expand(dir ?? (context.env["HERMES_HOME"] || "~/.hermes"), context.env);
  const report = options.dryRun === true ? await look(context, source) : await take(context, source);
  if (context.out.json) context.out.document(report);
  else await tell(context, report);
  if (report.routesRefused !== undefined)
    throw new UserError(
      report.routesRefused,
      "repair the file and run the import again: only the routes will be added",
    );
  const notStored = report.odd.find(({ kind }) => kind === "not-stored");
  if (notStored !== undefined)
    throw new UserError(
      `${formatPlural(notStored.count, "item")} could not be stored`,
      "everything else was; the report says which",
    );
}

/** Beside whoever writes, and in a home that may not exist. */
async function look(context: CliContext, dir: string): Promise<HermesReport> {
  const { openReader } = await import("#app/open-store.js");
  return run(context, { dir, store: openReader(context.home), isDryRun: true, scratch: tmpdir() });
}

async function take(context: CliContext, dir: string): Promise<HermesReport> {
  const { run: scratch } = context.home;
  const act = (store: SessionStore) =>
    run(context, { dir, store, isDryRun: false, scratch, reportFile: reportPath(context, context.home) });
  context.ifInterrupted("what came in is kept; run the command again to go on");
  return withWriter(context, act, { indexesAll: true });
}

interface Request {
  readonly dir: string;
  readonly store: SessionStore;
  readonly isDryRun: boolean;
  readonly scratch: string;
  readonly reportFile?: string;
}

async function run(context: CliContext, request: Request): Promise<HermesReport> {
  const { clock, signal } = context;
  const [{ importHermes }, config] = await Promise.all([import("#app/hermes/import-hermes.js"), context.config()]);
  const progress = context.out.progress(request.isDryRun ? "Reading messages" : "Importing messages");
  const onProgress = (done: number, total: number): void => progress.update(done, total);
  const policy = resetPolicy(config);
  return importHermes({ ...request, clock, signal, policy, onProgress }).finally(() => progress.finish());
}

function resetPolicy({ values }: LoadedConfig) {
  const { mode, idle_minutes, at_hour } = values.gateway.reset;
  return { mode, idleMinutes: idle_minutes, atHour: at_hour };
}

function reportPath({ clock }: CliContext, home: HomePaths): string {
  const stamp = new Date(clock.nowMs()).toISOString().replace(/[:.]/g, "-");
  return join(home.logs, `import-hermes-${stamp}.jsonl`);
}

const EXAMPLES_SHOWN = 3;

async function tell(context: CliContext, report: HermesReport): Promise<void> {
  const { out } = context;
  const { ODD_KINDS } = await import("#app/hermes/report.js");
  const rows = (["sessions", "messages", "routes"] as const).map((what) => ({ what, ...report[what] }));
  out.table(
    [
      { title: report.isDryRun ? "WOULD IMPORT" : "IMPORTED", value: ({ what }) => what },
      { title: "FOUND", value: ({ found }) => formatCount(found), align: "right" },
      { title: "NEW", value: ({ added }) => formatCount(added), align: "right" },
      { title: "KNOWN", value: ({ known }) => formatCount(known), align: "right" },
      { title: "LEFT OUT", value: ({ left }) => formatCount(left), align: "right" },
    ],
    rows,
  );
  if (report.isNewerSchema)
    out.warn(`${report.dir} has schema ${report.schema}, which is newer than this program; what it knows was read`);
  if (report.orphansFinished > 0)
    out.line(`\nMarked ${formatPlural(report.orphansFinished, "abandoned continuation")} as ended.`);
  if (report.odd.length > 0) {
    out.line(`\n${out.paint.bold("Odd, and what was done about it:")}`);
    for (const { kind, count, examples } of report.odd) {
      for (const line of wrapText(`${formatCount(count)} × ${ODD_KINDS[kind]}`, out.columns - 2)) out.line(`  ${line}`);
      for (const { subject, detail } of examples.slice(0, EXAMPLES_SHOWN))
        out.line(out.paint.dim(fitted(out.columns, `${subject}${detail === undefined ? "" : `: ${detail}`}`)));
    }
  }
  if (report.reportFile !== undefined) out.line(`\nThe full list is in ${visible(report.reportFile)}`);
  tellSettings(context, report);
  if (!report.isDryRun) out.line("\ntalaria sessions list shows what you have.");
}

const INDENT = "      ";

function fitted(columns: number, text: string): string {
  return INDENT + truncate(visible(text), columns - INDENT.length);
}

function tellSettings({ out }: CliContext, { settings: { settings, notes } }: HermesReport): void {
  if (settings.length > 0) {
    out.line("\nSettings found there that Talaria has too; to take one over:");
    for (const { key, value } of settings) out.line(`  talaria config set ${key} ${visible(value)}`);
  }
  for (const note of notes) for (const line of wrapText(`\nNote: ${note}`, out.columns)) out.line(line);
}

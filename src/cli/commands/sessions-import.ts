/** `talaria sessions import`: reads an export of ours back. */
import type { Command } from "commander";
import type { JsonlReport } from "#app/transfer/import-jsonl.js";
import { UserError } from "#base/errors.js";
import { truncate, visible } from "#base/text-width.js";
import type { SessionStore } from "#session/store.js";
import { addExamples, type CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatCount, formatPlural } from "../format.js";
import { withWriter } from "./sessions-store.js";

interface ImportCommandOptions {
  readonly dryRun?: boolean;
}

export function registerImport(sessions: Command, context: CliContext): void {
  const command = sessions
    .command("import")
    .summary("read a jsonl export back")
    .description(
      "Read a jsonl export back, with all ids and times. What is here already stays; a session that went on elsewhere " +
        "goes on here; one that went another way here is refused and named.",
    )
    .argument("<file>", "made by talaria sessions export")
    .option("--dry-run", "check the file and say what would come in")
    .action((file: string, options: ImportCommandOptions) => importFile(context, file, options));
  addExamples(command, [
    ["talaria sessions import all.jsonl --dry-run", "check it first"],
    ["talaria sessions import all.jsonl", "bring it in"],
  ]);
}

async function importFile(context: CliContext, file: string, options: ImportCommandOptions): Promise<void> {
  const isDryRun = options.dryRun === true;
  const [{ expand }, { statSync }] = await Promise.all([import("#config/home.js"), import("node:fs")]);
  const path = expand(file, context.env);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new UserError(`${visible(path)} is not a file`, "name a jsonl export", EXIT["not-found"]);
  const report = isDryRun ? await check(context, path) : await take(context, path);
  if (context.out.json) context.out.document(report);
  else tell(context, report);
  if (report.refused.length > 0)
    throw new UserError(
      `${formatPlural(report.refused.length, "part")} of ${visible(path)} could not be taken`,
      "the others came in; nothing of a refused session was written",
    );
}

async function check(context: CliContext, path: string): Promise<JsonlReport> {
  const [{ importJsonl }, { openReader }] = await Promise.all([
    import("#app/transfer/import-jsonl.js"),
    import("#app/open-store.js"),
  ]);
  const { clock, signal } = context;
  return importJsonl({ path, store: openReader(context.home), clock, signal, isDryRun: true });
}

async function take(context: CliContext, path: string): Promise<JsonlReport> {
  const { importJsonl } = await import("#app/transfer/import-jsonl.js");
  const { clock, signal } = context;
  const act = (store: SessionStore): Promise<JsonlReport> => {
    const progress = context.out.progress("Importing messages");
    const onProgress = (messages: number): void => progress.update(messages);
    const work = importJsonl({ path, store, clock, signal, isDryRun: false, onProgress });
    return work.finally(() => progress.finish());
  };
  context.ifInterrupted("what came in is kept; run the command again to go on");
  return withWriter(context, act, { indexesAll: true });
}

const REFUSED_SHOWN = 20;

function tell({ out }: CliContext, { conversations, messages, refused, remarks, isDryRun }: JsonlReport): void {
  const { found, added, extended, known } = conversations;
  out.line(
    isDryRun
      ? `${formatPlural(found, "session")} with ${formatPlural(messages.found, "message")}; ${formatCount(known)} already here.`
      : `${formatPlural(added, "session")} added, ${formatCount(extended)} extended, ${formatCount(known)} already here; ` +
          `${formatPlural(messages.added, "message")} added.`,
  );
  for (const { conversation, what } of remarks.slice(0, REFUSED_SHOWN)) out.warn(`${conversation}: ${what}`);
  for (const { line, conversation, why } of refused.slice(0, REFUSED_SHOWN))
    out.line(
      truncate(visible(`line ${line}${conversation === null ? "" : ` (${conversation})`}: ${why}`), out.columns),
    );
  if (refused.length > REFUSED_SHOWN)
    out.line(`… and ${formatCount(refused.length - REFUSED_SHOWN)} more; --json has all`);
}

/** `talaria restore`: goes back to a backup and keeps what it replaces. */
import type { CheckedBackup } from "#app/restore-check.js";
import { visible } from "#base/text-width.js";
import { addExamples, type CliContext, type Register } from "../command.js";
import { formatBytes, formatPlural } from "../format.js";
import { showBackups } from "./backup.js";

interface RestoreOptions {
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export const register: Register = (command, context) => {
  command
    .description(
      "Go back to a backup. It is checked first, and the store it replaces is kept beside the backups, so that a " +
        "restore can be undone by another one. Nothing else may be writing.",
    )
    .argument("[backup]", "latest, a name from --list, or a path", "latest")
    .option("--list", "list the backups instead")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only check the backup and say what is in it")
    .action((backup: string, options: RestoreOptions) => run(context, backup, options));
  addExamples(command, [
    ["talaria restore --list", "what there is"],
    ["talaria restore latest --dry-run", "check it and look inside"],
    ["talaria restore state-20260314-150926", "go back to that one"],
    ["talaria restore replaced-20260315-101500", "undo a restore"],
  ]);
};

async function run(context: CliContext, wanted: string, options: RestoreOptions): Promise<void> {
  const { chooseBackup, restorableBackups, restore } = await import("#app/restore.js");
  const { out, clock, version } = context;
  const { backup: settings } = (await context.config()).values;
  if (options.list) return showBackups(context, restorableBackups(context.home, settings));
  const path = chooseBackup(context.home, settings, wanted);
  const { checkBackup } = await import("#app/restore-check.js");
  const checked = checkBackup(path);
  if (!out.json) tellBackup(context, checked);
  if (options.dryRun) {
    if (out.json) out.document({ restored: false, backup: checked });
    else out.line("The backup is sound; nothing was changed.");
    return;
  }
  const question = "Replace the present conversations by this backup? They are kept as a backup themselves.";
  if (!(await out.confirm(question, { yes: options.yes === true }))) return out.note("Nothing was changed.");
  const { askAside } = await import("#app/host/step-aside.js");
  if (await askAside(context)) out.note("The host stepped aside; the next chat starts it again.");
  const progress = out.progress("Restoring");
  const result = await restore(context.prepareHome(), path, {
    clock,
    version,
    onPage: (left, total) => progress.update(total - left, total),
  }).finally(() => progress.finish());
  if (out.json) return out.document({ restored: true, backup: checked, kept: result.kept, routes: result.routes });
  out.line(`Restored ${formatPlural(checked.conversations, "conversation")}.`);
  if (result.kept !== null) {
    const note = result.kept.isWhole ? "" : " (damaged, byte for byte)";
    out.line(`What it replaced is kept${note}: ${result.kept.path}`);
  }
}

function tellBackup({ out }: CliContext, { path, bytes, conversations, messages }: CheckedBackup): void {
  out.line(visible(path));
  const counts = `${formatPlural(conversations, "conversation")}, ${formatPlural(messages, "message")}`;
  out.line(`  ${counts}, ${formatBytes(bytes)}, checked`);
}

/** `talaria backup`: a verified copy of the store, beside whoever writes. */
import { InvalidArgumentError } from "commander";
import type { Backup } from "#app/backup.js";
import { expand } from "#config/home.js";
import { addExamples, type CliContext, type Register } from "../command.js";
import { formatBytes, formatDateTime, formatPlural, formatSpan } from "../format.js";

const KEEP_MAX = 1_000;

interface BackupOptions {
  readonly to?: string;
  readonly ifDue?: boolean;
  readonly list?: boolean;
  readonly keep?: number;
}

export const register: Register = (command, context) => {
  command
    .description(
      "Make a backup of the conversations (state.db), checked by opening it again. Works while the program runs. Not " +
        "in it: config.yaml, .env, memories, skills and attachments, which are plain files.",
    )
    .option("--to <file>", "write here instead of the backup folder; never pruned")
    .option("--if-due", "only when the schedule says so (for cron)")
    .option("--keep <count>", "how many to keep in the backup folder", parseKeep)
    .option("--list", "list the backups instead")
    .action((options: BackupOptions) => (options.list ? listAll(context) : backUp(context, options)));
  addExamples(command, [
    ["talaria backup", "into the backup folder"],
    ["talaria backup --to /mnt/usb/talaria.db", "elsewhere, never pruned"],
    ["talaria backup --if-due", "for cron"],
    ["talaria backup --list", "what there is"],
  ]);
};

async function backUp(context: CliContext, options: BackupOptions): Promise<void> {
  const { isBackupDue, makeBackup } = await import("#app/backup.js");
  const { out, clock } = context;
  const { backup: settings } = (await context.config()).values;
  const home = context.home;
  if (options.ifDue && !isBackupDue(home, settings, clock.nowMs())) {
    return out.json ? out.document({ made: false }) : out.note("No backup is due.");
  }
  const progress = out.progress("Backing up");
  const made = await makeBackup(home, {
    settings,
    clock,
    onPage: (left, total) => progress.update(total - left, total),
    ...(options.to === undefined ? {} : { to: expand(options.to, context.env) }),
    ...(options.keep === undefined ? {} : { keep: options.keep }),
  }).finally(() => progress.finish());
  if (out.json) return out.document({ made: true, ...made, tookMs: Math.round(made.tookMs) });
  out.line(`${made.path} (${formatBytes(made.bytes)}, checked, ${formatSpan(made.tookMs)})`);
  if (made.removed.length > 0) out.line(`Removed ${formatPlural(made.removed.length, "older backup")}.`);
}

async function listAll(context: CliContext): Promise<void> {
  const { restorableBackups } = await import("#app/restore.js");
  showBackups(context, restorableBackups(context.home, (await context.config()).values.backup));
}

export function showBackups({ out }: CliContext, backups: readonly Backup[]): void {
  if (out.json) {
    const items = backups.map(({ atMs, ...rest }) => ({ ...rest, made: new Date(atMs).toISOString() }));
    out.document({ backups: items });
    return;
  }
  out.table<Backup>(
    [
      { title: "NAME", value: ({ name }) => name },
      { title: "MADE", value: ({ atMs }) => formatDateTime(atMs) },
      { title: "SIZE", value: ({ bytes }) => formatBytes(bytes), align: "right" },
      { title: "WHAT", value: ({ kind }) => KINDS[kind] },
    ],
    backups,
    "No backups yet. `talaria backup` makes one.",
  );
}

const KINDS: Readonly<Record<Backup["kind"], string>> = {
  automatic: "backup",
  replaced: "replaced by a restore",
  "before-migration": "before an upgrade",
};

function parseKeep(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep < 1 || keep > KEEP_MAX) throw new InvalidArgumentError(`expected 1 to ${KEEP_MAX}`);
  return keep;
}

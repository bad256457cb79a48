/** Runs an export: which sessions, in which form, to which place. */
import type { ExportFormat } from "#app/transfer/export.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import { expand } from "#config/home.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural } from "../format.js";
import { fileOutlet, stdoutOutlet } from "./sessions-export-place.js";
import { requireSession } from "./sessions-find.js";
import { withReader } from "./sessions-store.js";

export interface ExportCommandOptions {
  readonly all?: boolean;
  readonly format: ExportFormat;
  readonly source?: string;
  readonly output?: string;
  readonly redact?: boolean;
  readonly withSuperseded?: boolean;
}

export async function exportSessions(
  context: CliContext,
  names: readonly string[],
  options: ExportCommandOptions,
): Promise<void> {
  checkUsage(context, names, options);
  await withReader(context, async (store) => {
    const only = options.all ? undefined : await idsOf(store, names);
    const { exportConversations } = await import("#app/transfer/export.js");
    const target = options.output === undefined ? undefined : expand(options.output, context.env);
    const outlet =
      target === undefined
        ? stdoutOutlet(context)
        : fileOutlet(target, { isFolder: options.output?.endsWith("/") === true, format: options.format });
    if (target !== undefined)
      context.ifInterrupted("no file was replaced by an unfinished one; run the command again for all of it");
    const progress = target === undefined ? undefined : context.out.progress("Exporting messages");
    const exported = await exportConversations(
      store,
      {
        selection: { ...(only && { only }), ...(options.source !== undefined && { source: options.source }) },
        format: options.format,
        isRedacted: options.redact === true,
        withSuperseded: options.withSuperseded === true,
        signal: context.signal,
        onMessages: (count) => progress?.update(count),
      },
      outlet,
    ).finally(() => progress?.finish());
    if (target === undefined) return;
    if (context.out.json)
      context.out.document({ ...exported, format: options.format, path: target, files: outlet.files() });
    else
      context.out.line(
        `Wrote ${formatPlural(exported.conversations, "session")} with ${formatPlural(exported.messages, "message")} to ${visible(target)}.`,
      );
  });
}

function checkUsage(context: CliContext, names: readonly string[], options: ExportCommandOptions): void {
  const usage = (message: string, hint: string): UserError => new UserError(message, hint, EXIT.usage);
  if (names.length === 0 && !options.all)
    throw usage("name a session, or say --all", "talaria sessions list shows them");
  if (names.length > 0 && options.all)
    throw usage("--all and named sessions exclude each other", "leave one of them out");
  if (options.source !== undefined && !options.all) throw usage("--source goes with --all", "add --all");
  if (context.out.json && options.output === undefined)
    throw usage("--json needs a file for the export", "add -o FILE; the export itself is not one JSON document");
}

async function idsOf(store: SessionStore, names: readonly string[]) {
  const cards: ConversationCard[] = [];
  for (const name of names) cards.push(await requireSession(store, name));
  return cards.map((card) => card.id);
}

/** Where an export goes: stdout, one file, or a file for each session in a folder. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ExportFormat, Outlet, Place } from "#app/transfer/export.js";
import { openReplacement, type Replacement } from "#base/atomic-file.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";

export interface CountingOutlet extends Outlet {
  files(): number;
}

export function stdoutOutlet({ out }: CliContext): CountingOutlet {
  const place: Place = { write: (text) => out.write(text), isOwn: false, finish: async () => undefined };
  return { open: async () => place, close: async () => undefined, files: () => 0 };
}

/** A folder that exists, or a path that ends in a slash, gets a file for each session. */
export function fileOutlet(
  path: string,
  wanted: { readonly isFolder: boolean; readonly format: ExportFormat },
): CountingOutlet {
  const isFolder = wanted.isFolder || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) mkdirSync(path, { recursive: true, mode: 0o700 });
  const taken = new Set<string>();
  let file: Replacement | undefined;
  return {
    async open(card) {
      const name = isFolder ? join(path, fileName(card, wanted.format, taken)) : path;
      const opened = await openReplacement(name);
      file = opened;
      taken.add(name);
      return {
        write: (text) => opened.write(text),
        isOwn: isFolder,
        async finish() {
          file = undefined;
          await opened.commit();
        },
      };
    },
    // What is not whole never takes the place of what was there.
    close: async () => file?.discard(),
    files: () => taken.size,
  };
}

const NAME_CHARS_MAX = 60;

/** The title as far as a file system takes it, and the id, so that two never meet. */
function fileName(card: ConversationCard, format: ExportFormat, taken: ReadonlySet<string>): string {
  const safe = (text: string): string =>
    [...text.normalize("NFC").replace(/[^\p{L}\p{N}_.~-]+/gu, "-")]
      .slice(0, NAME_CHARS_MAX)
      .join("")
      .replace(/^[-.]+|[-.]+$/g, "");
  const stem = [safe(card.title ?? ""), safe(card.id)].filter((part) => part !== "").join("-");
  const name = `${stem || "session"}.${format}`;
  return taken.has(name) ? `${stem}-${taken.size}.${format}` : name;
}

/** The writing half of `talaria config`. */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "#base/atomic-file.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import { setKey, unsetKey } from "#config/edit.js";
import type { HomePaths } from "#config/home.js";
import { type ConfigKey, valueText } from "#config/keys.js";
import { inspectConfig } from "#config/load.js";
import { readSettingsFile } from "#config/settings-file.js";
import type { CliContext } from "../command.js";
import { requireKey, tellRemarks } from "./config-view.js";

const EMPTY_FILE = "# Talaria's settings. `talaria config keys` lists what can be set.\n";

export async function setValue(context: CliContext, name: string, value: string): Promise<void> {
  const key = requireKey(name);
  const outcome = await setKey(context.prepareHome(), key, value);
  const { settings, remarks } = inspectConfig(context.home, context.env);
  const effective = settings.get(name);
  tellRemarks(
    context,
    remarks.filter((remark) => remark.key === name && remark.file === context.home.config),
  );
  if (effective !== undefined && effective.origin.kind !== "file") {
    context.out.warn(`${name} is written, but ${key.variable} in the environment or in .env goes before it`);
  }
  tellChange(
    context,
    name,
    outcome.kind === "changed" ? `${name} is set.` : `${name} had this value already.`,
    outcome.kind,
  );
  if (outcome.kind === "changed") await tellWhen(context, key);
}

/** What a running host reads anew by itself, and what commands read each time. */
const READ_ANEW: ReadonlySet<string> = new Set(["model", "auxiliary", "prices", "display"]);

async function tellWhen(context: CliContext, { name, path }: ConfigKey): Promise<void> {
  if (READ_ANEW.has(path[0] ?? "")) return;
  const { hasHost } = await import("#app/host/find-host.js");
  if (hasHost(context.home))
    context.out.note(
      `The running host uses ${name} from its next start: talaria host restart, or of a gateway talaria gateway restart`,
    );
}

export async function unsetValue(context: CliContext, name: string): Promise<void> {
  const key = requireKey(name);
  const outcome = await unsetKey(context.home, key);
  const text =
    outcome.kind === "changed"
      ? `${name} is removed; its default is ${valueText(key.initial)}.`
      : `${name} was not set.`;
  tellChange(context, name, text, outcome.kind);
  if (outcome.kind === "changed") await tellWhen(context, key);
}

/** Edits a copy, so that the program never meets a half-finished file. */
export async function editConfig(context: CliContext): Promise<void> {
  const home = context.prepareHome();
  const before = currentText(home);
  const copy = join(home.root, "config.edit.yaml");
  await replaceFile(copy, before ?? EMPTY_FILE);
  await context.withoutInterrupts(() => runEditor(context, copy));
  const edited = readSettingsFile(copy);
  if (edited.kind !== "text") throw new UserError(`the edited copy ${copy} cannot be used`, "config.yaml is as it was");
  if (edited.text === (before ?? EMPTY_FILE)) {
    await rm(copy, { force: true });
    return tellChange(context, "config.yaml", "Nothing was changed.", "unchanged");
  }
  if (currentText(home) !== before) {
    throw new UserError(
      "config.yaml was changed by somebody else meanwhile, so it was left alone",
      `your version is in ${copy}`,
    );
  }
  await install(context, home, { copy, text: edited.text });
}

async function install(
  context: CliContext,
  home: HomePaths,
  edited: { readonly copy: string; readonly text: string },
): Promise<void> {
  const { remarks } = inspectConfig({ ...home, config: edited.copy }, context.env);
  tellRemarks(context, remarks);
  if (remarks.some(({ severity }) => severity === "error")) {
    const rejected = new UserError("config.yaml is as it was", `your version is in ${edited.copy}`);
    // Without a terminal nobody can choose, and the file that works is the better one.
    if (!process.stdin.isTTY) throw rejected;
    if (!(await context.out.confirm("Your version has mistakes. Use it anyway?", { yes: false }))) throw rejected;
  }
  await replaceFile(home.config, edited.text);
  await rm(edited.copy, { force: true });
  tellChange(context, "config.yaml", "config.yaml is saved.", "changed");
}

function currentText(home: HomePaths): string | undefined {
  const content = readSettingsFile(home.config);
  if (content.kind === "unreadable") throw new UserError(`${home.config} ${content.why}`, "it was not changed");
  return content.kind === "text" ? content.text : undefined;
}

async function runEditor(context: CliContext, file: string): Promise<void> {
  const editor = context.env["VISUAL"] || context.env["EDITOR"] || "vi";
  // Through the shell, as everybody does: an editor may come with arguments. The file's name is passed apart.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) {
    await rm(file, { force: true });
    throw new UserError(`the editor (${visible(editor)}) ended with ${code ?? "a signal"}`, "config.yaml is as it was");
  }
}

function tellChange(context: CliContext, key: string, text: string, outcome: "changed" | "unchanged"): void {
  if (context.out.json) context.out.document({ key, outcome });
  else context.out.line(text);
}

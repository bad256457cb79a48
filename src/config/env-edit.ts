/** Writes one variable into `.env`: every other line stays as it is, and the file is closed to others. */
import { openReplacement } from "#base/atomic-file.js";
import { invariant, OperationalError, UserError } from "#base/errors.js";
import { EDIT_ATTEMPTS_MAX } from "./edit.js";
import { parseEnvFile } from "./env-file.js";
import { FILE_MODE } from "./home.js";
import { readSettingsFile } from "./settings-file.js";

export async function assignVariable(path: string, name: string, value: string): Promise<void> {
  invariant(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name), `not a variable's name: ${name}`);
  for (let attempt = 0; attempt < EDIT_ATTEMPTS_MAX; attempt++) {
    const before = read(path);
    const after = withAssignment(before, name, value);
    const replacement = await openReplacement(path, { mode: FILE_MODE });
    await replacement.write(after);
    if (await replacement.commit(() => read(path) === before)) return;
  }
  throw new OperationalError("env-busy", "after-delay", `${path} keeps changing; nothing was written, try again`);
}

/** The last assignment is the one that counts, so it is the one that is replaced. */
function withAssignment(text: string, name: string, value: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const assignment = `${name}=${quoted(value)}`;
  const line = parseEnvFile(text).assignments.get(name)?.line;
  if (line === undefined) return `${text}${text === "" || text.endsWith("\n") ? "" : eol}${assignment}${eol}`;
  const lines = text.split(/(\r\n|\n|\r)/);
  // Every second piece is a line's end.
  lines[(line - 1) * 2] = assignment;
  return lines.join("");
}

function quoted(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  const escaped = value
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}

function read(path: string): string {
  const content = readSettingsFile(path);
  if (content.kind === "unreadable") throw new UserError(`${path} ${content.why}`, "it was not changed");
  return content.kind === "missing" ? "" : content.text;
}

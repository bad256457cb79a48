/**
 * Which commands a person allowed to run as hooks, by event and command line: a small file in the home, replaced
 * atomically and closed to others. A command that was changed is another command and needs its own leave.
 */
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "#base/atomic-file.js";
import { UserError } from "#base/errors.js";

export const CONSENTS_MAX = 1_000;
const FOLDER_MODE = 0o700;

export interface Consent {
  readonly event: string;
  readonly command: string;
  readonly allowedMs: number;
}

/** A file that cannot be read allows nothing, and says so. */
export async function readConsents(path: string): Promise<readonly Consent[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(path, error);
  }
  try {
    const { allowed } = JSON.parse(text) as { allowed?: unknown };
    if (!Array.isArray(allowed)) throw new Error("it has no list `allowed`");
    return allowed.filter(isConsent).slice(0, CONSENTS_MAX);
  } catch (error) {
    throw unreadable(path, error);
  }
}

export async function writeConsents(path: string, consents: readonly Consent[]): Promise<void> {
  if (consents.length > CONSENTS_MAX)
    throw new UserError(`at most ${CONSENTS_MAX} hooks can be allowed`, "revoke some: talaria hooks revoke", 1);
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await replaceFile(path, `${JSON.stringify({ version: 1, allowed: consents }, null, 2)}\n`, { mode: 0o600 });
}

export function isAllowed(consents: readonly Consent[], hook: { readonly event: string; readonly command: string }) {
  return consents.some(({ event, command }) => event === hook.event && command === hook.command);
}

function isConsent(value: unknown): value is Consent {
  if (typeof value !== "object" || value === null) return false;
  const { event, command, allowedMs } = value as Record<string, unknown>;
  return typeof event === "string" && typeof command === "string" && typeof allowedMs === "number";
}

function unreadable(path: string, error: unknown): UserError {
  const why = error instanceof Error ? error.message : String(error);
  return new UserError(
    `${path} cannot be read, so no hook is allowed: ${why}`,
    "remove the file and allow your hooks again: talaria hooks allow --all",
    1,
  );
}

/**
 * A shell's variables as marks: a short hash of each value that a host may need to know of. What is sent is never the
 * value, goes over the home's own socket alone and is never written down. Loads next to nothing: every chat does this.
 */
import { createHash } from "node:crypto";
import { PROVIDER_VARIABLES } from "../model-variables.js";

export type VariableMarks = Readonly<Record<string, string>>;

export const PROVIDER_NAMES: readonly string[] = [
  ...new Set(Object.values(PROVIDER_VARIABLES).flatMap(({ keys, addresses }) => [...keys, ...addresses])),
];

/** More than there are settings; a shell with more than this has made them up. */
export const MARKS_MAX = 200;
const MARK_CHARS = 16;
/** The home is the same by definition; how a host lives and how things look is each side's own business. */
const OWN = /^TALARIA_(?:HOME$|HOST_|DISPLAY_)/;

export function marksOf(env: NodeJS.ProcessEnv): VariableMarks {
  const names = Object.keys(env).filter((name) => name.startsWith("TALARIA_") && !OWN.test(name));
  const marks: Record<string, string> = {};
  for (const name of [...PROVIDER_NAMES, ...names].slice(0, MARKS_MAX)) {
    const mark = markOf(name, env[name]);
    if (mark !== undefined) marks[name] = mark;
  }
  return marks;
}

/** An empty variable says nothing, as everywhere. */
export function markOf(name: string, value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return undefined;
  return createHash("sha256").update(`${name}\0${text}`).digest("hex").slice(0, MARK_CHARS);
}

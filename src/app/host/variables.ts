/**
 * Which variables a shell beside a host has otherwise. A host keeps those of whoever started it, so a key that somebody
 * sets later is not there for it. Both read `.env`, so a variable that stands there with the same value is no other.
 */
import { CONFIG_KEYS } from "#config/keys.js";
import { markOf, PROVIDER_NAMES, type VariableMarks } from "./variable-marks.js";

/** Settings of whoever shows something, and of the host's own life: these differ without harm. */
const OWN_SECTIONS: ReadonlySet<string> = new Set(["display", "host"]);

const MATTERING: readonly string[] = [
  ...PROVIDER_NAMES,
  "TALARIA_MODEL",
  "TALARIA_ACCEPT_HOOKS",
  ...CONFIG_KEYS.filter(({ path }) => !OWN_SECTIONS.has(path[0] ?? "")).map(({ variable }) => variable),
];

export interface HostVariables {
  readonly env: NodeJS.ProcessEnv;
  /** The assignments of `.env`, as they are now. */
  readonly file: ReadonlyMap<string, string>;
}

/** Names alone, in a fixed order. */
export function otherVariables(marks: VariableMarks, { env, file }: HostVariables): readonly string[] {
  return MATTERING.filter((name) => {
    const written = markOf(name, file.get(name));
    const theirs = Object.hasOwn(marks, name) ? marks[name] : written;
    return theirs !== (markOf(name, env[name]) ?? written);
  });
}

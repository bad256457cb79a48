/** The schema as a list of dotted keys, and how a value given as text is read for one of them. */
import { parse } from "yaml";
import { z } from "zod";
import { invariant } from "#base/errors.js";
import { type KeyNote, keyNotes } from "./key-notes.js";
import { configSchema } from "./schema.js";

export interface ConfigKey extends KeyNote {
  /** `gateway.reset.mode` */
  readonly name: string;
  readonly path: readonly string[];
  /** `TALARIA_GATEWAY_RESET_MODE` */
  readonly variable: string;
  readonly initial: unknown;
  readonly schema: z.ZodType;
}

export const CONFIG_KEYS: readonly ConfigKey[] = collect(configSchema, []);

const byName = new Map(CONFIG_KEYS.map((key) => [key.name, key]));

export function findKey(name: string): ConfigKey | undefined {
  return byName.get(name);
}

/** Whether keys lie below this dotted name: `gateway`, `gateway.reset`. */
export function isSection(name: string): boolean {
  return CONFIG_KEYS.some((key) => key.name.startsWith(`${name}.`));
}

/** Whether the key can hold any text, or one of some words. */
export function takesText(key: ConfigKey): boolean {
  return key.holds === "text" || typeof key.initial === "string";
}

/** A value from the command line or a variable: YAML (so JSON as well), except that text needs no quotes. */
export function readText(key: ConfigKey, text: string): unknown {
  const value = parsed(text, key.holds === "structure");
  return takesText(key) && typeof value !== "string" ? text.trim() : value;
}

function parsed(text: string, mayBeStructure: boolean): unknown {
  try {
    const value: unknown = parse(text, { logLevel: "silent", maxAliasCount: 0 });
    return typeof value === "object" && value !== null && !mayBeStructure ? text : value;
  } catch {
    // Not YAML, for example `a: b: c` or an open quote: then it is just text.
    return text;
  }
}

/** A value as people read it: a list or a map in one line, nothing at all as `none`. */
export function valueText(value: unknown): string {
  if (value === undefined) return "none";
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function collect(section: z.ZodObject, path: readonly string[]): ConfigKey[] {
  return Object.entries(section.shape).flatMap(([name, schema]) => {
    const here = [...path, name];
    if (schema instanceof z.ZodObject) return collect(schema, here);
    const note = keyNotes.get(schema as z.ZodType);
    invariant(note !== undefined, `the setting ${here.join(".")} has no description`);
    return [
      {
        ...note,
        name: here.join("."),
        path: here,
        variable: `TALARIA_${here.join("_").toUpperCase()}`,
        initial: (schema as z.ZodType).parse(undefined),
        schema: schema as z.ZodType,
      },
    ];
  });
}

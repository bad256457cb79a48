/** The schema as a list of dotted keys, and how a value given as text is read for one of them. */
import { parse } from "yaml";
import { z } from "zod";
import { invariant } from "#base/errors.js";
import { configSchema, type KeyNote, keyNotes } from "./schema.js";

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
  return typeof key.initial === "string";
}

/** A value from the command line or a variable: a YAML scalar, except that text needs no quotes. */
export function readScalar(key: ConfigKey, text: string): unknown {
  const value = asScalar(text);
  return takesText(key) && typeof value !== "string" ? text.trim() : value;
}

function asScalar(text: string): unknown {
  try {
    const value: unknown = parse(text, { logLevel: "silent", maxAliasCount: 0 });
    return typeof value === "object" && value !== null ? text : value;
  } catch {
    // Not YAML, for example `a: b: c` or an open quote: then it is just text.
    return text;
  }
}

export type Judgement =
  | { readonly kind: "valid"; readonly value: unknown; readonly warning?: string }
  | { readonly kind: "invalid"; readonly message: string };

/** Checks one value; an absent one (null) is the default. */
export function judgeValue(key: ConfigKey, raw: unknown): Judgement {
  if (raw === null || raw === undefined) return { kind: "valid", value: key.initial };
  const repaired = key.repair?.(raw) ?? { value: raw };
  const checked = key.schema.safeParse(repaired.value);
  if (!checked.success) return { kind: "invalid", message: `expected ${key.takes}, found ${describe(raw)}` };
  const warning =
    repaired.warning === undefined ? {} : { warning: `${key.name} ${repaired.warning} (found ${describe(raw)})` };
  return { kind: "valid", value: checked.data, ...warning };
}

const FOUND_CHARS_MAX = 60;

/** A found value in an error message; long ones are cut. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of settings";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= FOUND_CHARS_MAX ? text : `${text.slice(0, FOUND_CHARS_MAX)}…`;
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

/** Whether a value is right for its key, and where it is not: a list or a map can be wrong in several parts. */
import type { z } from "zod";
import { isSecretName } from "#base/redact.js";
import type { ConfigKey } from "./keys.js";
import { nearest } from "./nearest.js";

/** Something about a value, told with the key's full name; `path` leads to the part of it that is meant. */
export interface Complaint {
  readonly path: readonly PropertyKey[];
  /** It is the name of the part that is wrong, not what stands there. */
  readonly isKey: boolean;
  readonly message: string;
}

export type Judgement =
  | { readonly kind: "valid"; readonly value: unknown; readonly warnings: readonly Complaint[] }
  | { readonly kind: "invalid"; readonly complaints: readonly Complaint[] };

const COMPLAINTS_MAX = 20;

/** Checks one value; an absent one (null) is the default. */
export function judgeValue(key: ConfigKey, raw: unknown): Judgement {
  if (raw === null || raw === undefined) return { kind: "valid", value: key.initial, warnings: [] };
  if (key.holds === "structure") return judgeStructure(key, raw);
  const repaired = key.repair?.(raw) ?? { value: raw };
  const checked = key.schema.safeParse(repaired.value);
  const found = isSecretName(key.name) ? "something else" : describe(raw);
  const about = (message: string): Complaint => ({ path: [], isKey: false, message });
  if (!checked.success) {
    return { kind: "invalid", complaints: [about(`${key.name}: expected ${key.takes}, found ${found}`)] };
  }
  const warnings = repaired.warning === undefined ? [] : [about(`${key.name} ${repaired.warning} (found ${found})`)];
  return { kind: "valid", value: checked.data, warnings };
}

/** [CF-2] Names that are not known are warned of and left out, as they are everywhere else. */
function judgeStructure(key: ConfigKey, raw: unknown): Judgement {
  const first = key.schema.safeParse(raw);
  if (first.success) return { kind: "valid", value: first.data, warnings: [] };
  const unknown = first.error.issues.filter(isUnknownNames);
  const known = unknown.length === 0 ? raw : withoutNames(raw, unknown);
  const second = key.schema.safeParse(known);
  const warnings = unknown.flatMap((issue) => issue.keys.map((name) => unknownName(key, issue.path, name)));
  if (second.success) return { kind: "valid", value: second.data, warnings: warnings.slice(0, COMPLAINTS_MAX) };
  const complaints = second.error.issues.slice(0, COMPLAINTS_MAX).map((issue) => complaintOf(key, issue, raw));
  return { kind: "invalid", complaints };
}

type Issue = z.core.$ZodIssue;
type UnknownNames = z.core.$ZodIssueUnrecognizedKeys;

function isUnknownNames(issue: Issue): issue is UnknownNames {
  return issue.code === "unrecognized_keys";
}

function withoutNames(raw: unknown, issues: readonly UnknownNames[]): unknown {
  const copy = structuredClone(raw);
  for (const { path, keys } of issues) {
    const group = valueAt(copy, path) as Record<string, unknown>;
    for (const name of keys) delete group[name];
  }
  return copy;
}

function unknownName(key: ConfigKey, path: readonly PropertyKey[], name: string): Complaint {
  const meant = nearest(name, PART_NAMES);
  const advice = meant === undefined ? "" : `; did you mean ${meant}?`;
  const full = fullName(key, [...path, name]);
  return { path: [...path, name], isKey: true, message: `${full} is not a known setting and does nothing${advice}` };
}

/** The names that occur inside of lists and maps: of a model's entry and of a price. */
const PART_NAMES = [
  "provider",
  "name",
  "base_url",
  "api_key_env",
  "api_key",
  "headers",
  "context_tokens",
  "output_tokens_max",
  "input",
  "output",
  "cache_read",
  "cache_write",
];

function complaintOf(key: ConfigKey, issue: Issue, raw: unknown): Complaint {
  const { path } = issue;
  const name = fullName(key, path);
  if (issue.code === "invalid_key") {
    const expected = issue.issues[0]?.message ?? issue.message;
    return { path, isKey: true, message: `${name}: ${expected}, found ${describe(path.at(-1))}` };
  }
  const value = valueAt(raw, path);
  const isSecret = path.some((step) => isSecretName(String(step)));
  const found = value === undefined ? "nothing" : isSecret ? "something else" : describe(value);
  return { path, isKey: false, message: `${name}: ${issue.message}, found ${found}` };
}

function fullName(key: ConfigKey, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, step) => `${name}${typeof step === "number" ? `[${step}]` : `.${String(step)}`}`,
    key.name,
  );
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], raw);
}

/** The parts that hold a secret as it is, not as a reference to a variable. */
export function literalSecrets(key: ConfigKey, raw: unknown): Complaint[] {
  const found: Complaint[] = [];
  const walk = (name: string, value: unknown, path: readonly PropertyKey[]): void => {
    if (found.length >= COMPLAINTS_MAX) return;
    if (typeof value === "string" && isSecretName(name) && value !== "" && !value.includes("${")) {
      const message = `${fullName(key, path)} holds a secret in clear; put it into .env as NAME=… and write \${NAME} here`;
      found.push({ path, isKey: false, message });
    } else if (typeof value === "object" && value !== null) {
      for (const [inner, item] of Object.entries(value))
        walk(inner, item, [...path, Array.isArray(value) ? Number(inner) : inner]);
    }
  };
  walk(key.name, raw, []);
  return found;
}

const FOUND_CHARS_MAX = 60;

/** A found value in an error message; long ones are cut. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a group of settings";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= FOUND_CHARS_MAX ? text : `${text.slice(0, FOUND_CHARS_MAX)}…`;
}

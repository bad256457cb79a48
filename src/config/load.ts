/**
 * The settings as the program uses them: environment over `.env` over `config.yaml` over defaults. Every
 * value knows where it comes from, and every mistake where it is.
 */
import { UserError } from "#base/errors.js";
import { type EnvFile, parseEnvFile } from "./env-file.js";
import type { HomePaths } from "./home.js";
import { type Complaint, judgeValue, literalSecrets } from "./judge.js";
import { CONFIG_KEYS, type ConfigKey, readText } from "./keys.js";
import { nearest } from "./nearest.js";
import { hasReference, resolveDeep } from "./references.js";
import { type Place, type Remark, remark } from "./remark.js";
import type { Config } from "./schema.js";
import { readSettingsFile } from "./settings-file.js";
import { type FoundSetting, readYaml } from "./yaml-file.js";

export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "file"; readonly place: Place }
  | { readonly kind: "env-file"; readonly place: Place; readonly variable: string }
  | { readonly kind: "environment"; readonly variable: string };

export interface EffectiveSetting {
  readonly key: ConfigKey;
  readonly value: unknown;
  readonly origin: Origin;
  /** As written in the file, when it names variables: shown instead of what may be a secret. */
  readonly reference?: unknown;
}

export interface LoadedConfig {
  /** Reading a key whose `${NAME}` is not set throws a UserError that says so. */
  readonly values: Config;
  readonly settings: ReadonlyMap<string, EffectiveSetting>;
  /** The assignments of `.env`; the environment goes before them. Names the file for messages. */
  readonly envFile: { readonly path: string; readonly variables: ReadonlyMap<string, string> };
  /** Warnings and notes; from `inspectConfig` errors as well. */
  readonly remarks: readonly Remark[];
}

/** The settings, or a UserError that lists every mistake with its place. */
export function loadConfig(home: HomePaths, env: NodeJS.ProcessEnv): LoadedConfig {
  const loaded = inspectConfig(home, env);
  const errors = loaded.remarks.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return loaded;
  throw new UserError(
    `the settings have ${errors.length === 1 ? "a mistake" : `${errors.length} mistakes`}\n${errors.map(({ text }) => text).join("\n")}`,
    errors.every(({ file = "" }) => file.startsWith("TALARIA_"))
      ? "correct the variable in your environment, or unset it; talaria config check looks again"
      : "correct the file (talaria config edit), or check it with: talaria config check",
  );
}

/** Never throws: keys with a mistake have their defaults, and the mistakes are among the remarks. */
export function inspectConfig(home: HomePaths, env: NodeJS.ProcessEnv): LoadedConfig {
  const remarks: Remark[] = [];
  const envFile = readEnvFile(home.env, remarks);
  const file = readConfigFile(home.config, remarks);
  const lookup = (variable: string): string | undefined => env[variable] ?? envFile.assignments.get(variable)?.value;
  warnOfUnknownVariables([...Object.keys(env), ...envFile.assignments.keys()], remarks);

  const settings = new Map<string, EffectiveSetting>();
  const values: Record<string, unknown> = {};
  for (const key of CONFIG_KEYS) {
    const candidates = candidatesFor(key, { env, envFile, envPath: home.env, file });
    const { setting, missing } = effective(key, candidates, lookup, remarks);
    settings.set(key.name, setting);
    place(values, key, setting.value, missing);
  }
  const variables = new Map([...envFile.assignments].map(([name, { value }]) => [name, value]));
  return { values: values as unknown as Config, settings, envFile: { path: home.env, variables }, remarks };
}

/** The document to edit; a UserError when the file cannot be understood and so must not be overwritten. */
export function readConfigFile(path: string, remarks: Remark[]) {
  const content = readSettingsFile(path);
  if (content.kind === "missing") return readYaml("", path);
  if (content.kind === "unreadable") {
    remarks.push(remark("error", { place: { file: path }, message: content.why }));
    return { settings: new Map() as ReturnType<typeof readYaml>["settings"], remarks: [] };
  }
  const read = readYaml(content.text, path);
  remarks.push(...read.remarks);
  return read;
}

interface Candidate {
  readonly raw: unknown;
  readonly origin: Exclude<Origin, { kind: "default" }>;
  readonly placeOfPart?: FoundSetting["placeOfPart"];
}

interface Layers {
  readonly env: NodeJS.ProcessEnv;
  readonly envFile: EnvFile;
  readonly envPath: string;
  readonly file: Pick<ReturnType<typeof readYaml>, "settings">;
}

/** What the layers say about a key, strongest first. An empty variable says nothing. */
function candidatesFor(key: ConfigKey, { env, envFile, envPath, file }: Layers): Candidate[] {
  const { variable } = key;
  const candidates: Candidate[] = [];
  const fromEnv = env[variable];
  if (fromEnv !== undefined && fromEnv !== "") {
    candidates.push({ raw: readText(key, fromEnv), origin: { kind: "environment", variable } });
  }
  const assigned = envFile.assignments.get(variable);
  if (assigned !== undefined && assigned.value !== "") {
    const where = { file: envPath, line: assigned.line };
    candidates.push({ raw: readText(key, assigned.value), origin: { kind: "env-file", place: where, variable } });
  }
  const found = file.settings.get(key.name);
  if (found !== undefined && found.value !== null) {
    const origin = { kind: "file", place: found.place } as const;
    candidates.push({ raw: found.value, origin, placeOfPart: found.placeOfPart });
  }
  return candidates;
}

/** Judges every layer, so that a mistake in the file is told even while a variable hides it. */
function effective(
  key: ConfigKey,
  candidates: readonly Candidate[],
  lookup: (variable: string) => string | undefined,
  remarks: Remark[],
): { setting: EffectiveSetting; missing?: UserError } {
  let chosen: { setting: EffectiveSetting; missing?: UserError } | undefined;
  for (const candidate of candidates) {
    const { raw, origin } = candidate;
    const say = (severity: Remark["severity"], complaints: readonly Complaint[]): void => {
      for (const complaint of complaints) {
        remarks.push(
          remark(severity, { place: placeOfPart(candidate, complaint), key: key.name, message: complaint.message }),
        );
      }
    };
    if (origin.kind === "file") say("warning", literalSecrets(key, raw));
    const isReference = origin.kind === "file" && hasReference(raw);
    const resolution = isReference ? resolveDeep(raw, lookup) : { kind: "resolved" as const, value: raw };
    if (resolution.kind === "missing") {
      const missing = missingVariable(key, resolution.variable, origin);
      chosen ??= { setting: { key, value: key.initial, origin, reference: raw }, missing };
      continue;
    }
    const { value } = resolution;
    const judged = judgeValue(key, isReference && typeof value === "string" ? readText(key, value) : value);
    if (judged.kind === "invalid") {
      say("error", judged.complaints);
      continue;
    }
    say("warning", judged.warnings);
    const reference = isReference ? { reference: raw } : {};
    chosen ??= { setting: { key, value: judged.value, origin, ...reference } };
  }
  return chosen ?? { setting: { key, value: key.initial, origin: { kind: "default" } } };
}

function placeOfPart({ origin, placeOfPart }: Candidate, complaint: Complaint): Place {
  return complaint.path.length === 0 || placeOfPart === undefined ? placeOf(origin) : placeOfPart(complaint);
}

function missingVariable(key: ConfigKey, variable: string, origin: Candidate["origin"]): UserError {
  const { text } = remark("error", {
    place: placeOf(origin),
    message: `${key.name} needs the variable ${variable}, and it is not set`,
  });
  return new UserError(text, `set ${variable} in the environment or in .env, or change ${key.name}`);
}

function placeOf(origin: Candidate["origin"]): Place {
  return origin.kind === "environment" ? { file: origin.variable } : origin.place;
}

function place(values: Record<string, unknown>, key: ConfigKey, value: unknown, missing: UserError | undefined): void {
  let section = values;
  for (const name of key.path.slice(0, -1)) {
    section[name] ??= {};
    section = section[name] as Record<string, unknown>;
  }
  const get = (): unknown => {
    if (missing !== undefined) throw missing;
    return value;
  };
  Object.defineProperty(
    section,
    key.path.at(-1) ?? "",
    missing === undefined ? { value, enumerable: true } : { get, enumerable: true },
  );
}

function readEnvFile(path: string, remarks: Remark[]): EnvFile {
  const content = readSettingsFile(path);
  if (content.kind === "missing") return { assignments: new Map(), problems: [] };
  if (content.kind === "unreadable") {
    remarks.push(remark("error", { place: { file: path }, message: content.why }));
    return { assignments: new Map(), problems: [] };
  }
  if ((content.mode & 0o077) !== 0) {
    remarks.push(
      remark("warning", {
        place: { file: path },
        message: `other users can read it; close it with: chmod 600 ${path}`,
      }),
    );
  }
  const parsed = parseEnvFile(content.text);
  for (const { line, message } of parsed.problems)
    remarks.push(remark("error", { place: { file: path, line }, message }));
  return parsed;
}

/** `TALARIA_LOGS_LEVL`: a slip in a variable's name would otherwise be silent. */
function warnOfUnknownVariables(variables: readonly string[], remarks: Remark[]): void {
  const known = CONFIG_KEYS.map((key) => key.variable);
  const sections = [...new Set(CONFIG_KEYS.map((key) => `TALARIA_${key.path[0]?.toUpperCase()}_`))];
  for (const variable of new Set(variables)) {
    if (known.includes(variable) || !sections.some((prefix) => variable.startsWith(prefix))) continue;
    const meant = nearest(variable, known);
    if (meant === undefined) continue;
    remarks.push(
      remark("warning", { place: { file: variable }, message: `is not a known setting; did you mean ${meant}?` }),
    );
  }
}

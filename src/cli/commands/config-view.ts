/** The reading half of `talaria config`. */
import { relative } from "node:path";
import { UserError } from "#base/errors.js";
import { isHeaders, isSecretName, REDACTED, redact, redactHeaders } from "#base/redact.js";
import { visible } from "#base/text-width.js";
import { CONFIG_KEYS, type ConfigKey, findKey, isSection, valueText } from "#config/keys.js";
import { type EffectiveSetting, inspectConfig, type LoadedConfig, type Origin } from "#config/load.js";
import { nearest } from "#config/nearest.js";
import { withoutPlatformSecrets } from "#config/platform-secrets.js";
import { hasReference } from "#config/references.js";
import type { Remark } from "#config/remark.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural, wrap } from "../format.js";

export function showConfig(
  context: CliContext,
  options: { readonly below?: string; readonly changedOnly: boolean },
): void {
  const { below, changedOnly } = options;
  if (below !== undefined && findKey(below) === undefined && !isSection(below)) throw unknownKey(below);
  const loaded = inspectConfig(context.home, context.env);
  const rows = [...loaded.settings.values()].filter(
    ({ key, origin }) =>
      (below === undefined || key.name === below || key.name.startsWith(`${below}.`)) &&
      (!changedOnly || origin.kind !== "default"),
  );
  if (context.out.json) {
    context.out.document({ settings: rows.map((setting) => settingDocument(setting)), remarks: loaded.remarks });
    return;
  }
  context.out.table(
    [
      { title: "KEY", value: ({ key }) => key.name },
      { title: "VALUE", value: (setting) => valueText(shownValue(setting)), flexible: true },
      {
        title: "FROM",
        value: ({ origin }) => originText(origin, context.home.root),
        flexible: true,
        paint: (text, { origin }) => (origin.kind === "default" ? context.out.paint.dim(text) : text),
      },
    ],
    rows,
    "Nothing is set; every key has its default.",
  );
  tellRemarks(context, loaded.remarks);
}

/** The value itself on stdout, as a script wants it. */
export function getKey(context: CliContext, name: string): void {
  const key = requireKey(name);
  const loaded = inspectConfig(context.home, context.env);
  const mistake = loaded.remarks.find(
    (remark) => remark.severity === "error" && (remark.key === undefined || remark.key === name),
  );
  if (mistake !== undefined) throw new UserError(mistake.text, "talaria config check lists every mistake");
  // Of platforms any value may be a secret that a variable holds: they are shown as they are written.
  const value = key.name === "platforms" ? writtenPlatforms(loaded) : readValue(loaded, key);
  // A secret is for the program that needs it; whoever wants to read it has the file.
  const shown = withoutSecrets(value, (text) => text, key.name);
  if (context.out.json) context.out.document({ key: name, value: shown ?? null });
  else context.out.line(visible(shown === undefined ? "" : valueText(shown)));
}

export function listKeys(context: CliContext): void {
  if (context.out.json) {
    context.out.document({
      keys: CONFIG_KEYS.map(({ name, takes, initial, description, variable }) => ({
        key: name,
        takes,
        default: initial ?? null,
        description,
        variable,
      })),
    });
    return;
  }
  for (const { name, takes, initial, description } of CONFIG_KEYS) {
    context.out.line(`${context.out.paint.bold(name)}  (default ${valueText(initial)})`);
    for (const line of wrap(`${takes}: ${description}`, context.out.columns - INDENT.length))
      context.out.line(INDENT + line);
  }
}

const INDENT = "    ";

export function checkConfig(context: CliContext): void {
  const { remarks } = inspectConfig(context.home, context.env);
  const errors = remarks.filter(({ severity }) => severity === "error");
  if (context.out.json) context.out.document({ ok: errors.length === 0, remarks });
  else for (const { severity, text } of remarks) context.out.line(`${severity}: ${visible(text)}`);
  if (errors.length > 0) {
    throw new UserError(
      `${formatPlural(errors.length, "mistake")} in the settings`,
      "correct them with: talaria config edit",
    );
  }
  if (!context.out.json) context.out.line(remarks.length === 0 ? "The settings are fine." : "No mistakes.");
}

export function requireKey(name: string): ConfigKey {
  const key = findKey(name);
  if (key === undefined) throw unknownKey(name);
  return key;
}

/** Warnings go to stderr, so that they are seen even when the table is piped away. */
export function tellRemarks(context: CliContext, remarks: readonly Remark[]): void {
  for (const { severity, text } of remarks) {
    if (severity === "note") context.out.note(`note: ${visible(text)}`);
    else context.out.warn(text);
  }
}

const BEGUN_CHARS_MIN = 4;

function unknownKey(name: string): UserError {
  if (isSection(name)) {
    return new UserError(
      `${visible(name)} is a group of settings, not one`,
      `talaria config show ${name} lists its keys`,
      EXIT.usage,
    );
  }
  const names = CONFIG_KEYS.map((key) => key.name);
  // `host.linger` for `host.linger_seconds`: many edits away, and still what was meant.
  const begun = names.filter((one) => name.length >= BEGUN_CHARS_MIN && one.startsWith(name));
  const meant = begun.length === 1 ? begun[0] : nearest(name, names);
  const hint = meant === undefined ? "talaria config keys lists the known ones" : `did you mean ${meant}?`;
  return new UserError(`${visible(name.slice(0, 80))} is not a known setting`, hint, EXIT.usage);
}

function writtenPlatforms({ settings }: LoadedConfig): unknown {
  const setting = settings.get("platforms");
  return withoutPlatformSecrets(setting?.reference ?? setting?.value);
}

/** Through the object itself: it throws when the value names a variable that is not set. */
function readValue(loaded: LoadedConfig, key: ConfigKey): unknown {
  return key.path.reduce<unknown>((section, name) => (section as Record<string, unknown>)[name], loaded.values);
}

/** References are shown as they are written: `${NAME}` says where the secret is, not what it is. */
function shownValue({ key, value, reference }: EffectiveSetting): unknown {
  if (typeof reference === "string") return redact(reference);
  if (reference === undefined && isSecretName(key.name)) return value === undefined ? undefined : REDACTED;
  const shown = reference ?? value;
  if (isHeaders(key.name)) return redactHeaders(shown);
  return withoutSecrets(key.name === "platforms" ? withoutPlatformSecrets(shown) : shown, redact);
}

/** `clean` is for texts whose name does not tell that they are secret. */
function withoutSecrets(value: unknown, clean: (text: string) => string, name = ""): unknown {
  if (typeof value === "string") return isSecretName(name) && !hasReference(value) ? REDACTED : clean(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, clean));
  if (typeof value !== "object" || value === null) return value;
  if (isHeaders(name)) return redactHeaders(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item, clean, key)]));
}

function settingDocument(setting: EffectiveSetting): object {
  const { key, origin } = setting;
  return { key: key.name, value: shownValue(setting) ?? null, default: key.initial ?? null, from: origin };
}

function originText(origin: Origin, root: string): string {
  switch (origin.kind) {
    case "default":
      return "default";
    case "environment":
      return origin.variable;
    case "file":
    case "env-file":
      return `${relative(root, origin.place.file)}:${origin.place.line ?? "?"}`;
  }
}

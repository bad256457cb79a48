/**
 * A plugin's manifest, `plugin.yaml`. It is read and judged without running anything of the plugin; whatever is wrong is
 * said in words that name the key and what is expected there.
 */
import { lstat, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { z } from "zod";
import { ANNOUNCED, INTERCEPTED, OBSERVED } from "#hook/hook.js";
import { CONTRIBUTIONS_MAX } from "./limits.js";

export const MANIFEST_FILE = "plugin.yaml";
export const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const MANIFEST_BYTES_MAX = 64_000;
const MAIN_DEFAULTS = ["index.ts", "index.mts", "index.js", "index.mjs", "index.cjs"];
const NAME_RULE = "a lower-case letter, then at most 39 lower-case letters, digits and -";

export const HOOK_NAMES: readonly string[] = [...OBSERVED, ...ANNOUNCED, ...INTERCEPTED];

const text = (what: string, charsMax: number) =>
  z.string(what).min(1, what).max(charsMax, `at most ${charsMax} characters`);
const list = (what: string) =>
  z.array(text("a name", 64), `a list of ${what}`).max(CONTRIBUTIONS_MAX, `at most ${CONTRIBUTIONS_MAX} ${what}`);

const manifestSchema = z.object({
  name: z.string("the plugin's name").regex(PLUGIN_NAME, NAME_RULE),
  version: z
    .union([text("a version", 40), z.number().transform(String)], "a version, for example 1.0.0")
    .default("0.0.0"),
  description: z.string("one line of text").max(300, "at most 300 characters").default(""),
  main: text("a file in the plugin's folder", 200).optional(),
  hooks: list("hook names").optional(),
  tools: list("tool names").optional(),
  commands: list("command names").optional(),
  platforms: list("platform names").optional(),
  enabled_by_default: z.literal(false, "false: only a person enables a plugin").default(false),
});

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Where given, nothing else may be registered: it is what the person saw who enabled the plugin. */
  readonly hooks: readonly string[] | undefined;
  readonly tools: readonly string[] | undefined;
  readonly commands: readonly string[] | undefined;
  readonly platforms: readonly string[] | undefined;
  /** Absolute, links resolved, inside the folder. */
  readonly folder: string;
  readonly main: string;
  /** Keys that mean nothing here. */
  readonly unknown: readonly string[];
}

export type ReadManifest =
  | { readonly kind: "ok"; readonly manifest: Manifest }
  | { readonly kind: "broken"; readonly problem: string };

/** `folder` is `plugins/NAME`; a link to a folder elsewhere is followed, what leads out of that folder is not. */
export async function readManifest(folder: string, name: string): Promise<ReadManifest> {
  const text = await readBounded(join(folder, MANIFEST_FILE));
  if (typeof text !== "string") return broken(text.problem);
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) return broken(`${MANIFEST_FILE} is not YAML: ${error.message.split("\n")[0]}`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch (failure) {
    return broken(`${MANIFEST_FILE} cannot be read: ${(failure as Error).message}`);
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) return broken(parsed.error.issues.map(issueWords).join("; "));
  if (parsed.data.name !== name) {
    return broken(`name: it is ${JSON.stringify(parsed.data.name)}, but the folder is called ${JSON.stringify(name)}`);
  }
  const strange = parsed.data.hooks?.filter((hook) => !HOOK_NAMES.includes(hook)) ?? [];
  if (strange.length > 0) return broken(`hooks: no hook is called ${strange.join(", ")}`);
  return locate(folder, parsed.data, Object.keys(value as object));
}

async function locate(
  given: string,
  { name, version, description, main, ...lists }: z.infer<typeof manifestSchema>,
  keys: readonly string[],
): Promise<ReadManifest> {
  const folder = await realpath(given);
  const found = main === undefined ? await firstThere(folder) : main;
  if (found === undefined) return broken(`there is no ${MAIN_DEFAULTS.join(", ")}, and main: names no other file`);
  const path = await realpath(join(folder, found)).catch(() => undefined);
  if (path === undefined) return broken(`main: there is no file ${found}`);
  if (!path.startsWith(`${folder}${sep}`)) return broken(`main: ${found} leads out of the plugin's folder`);
  if (!(await lstat(path)).isFile()) return broken(`main: ${found} is not a file`);
  if (!/\.(?:[cm]?js|m?ts)$/.test(path)) return broken(`main: ${found} is not a .ts, .mts, .js, .mjs or .cjs file`);
  const known = Object.keys(manifestSchema.shape);
  return {
    kind: "ok",
    manifest: {
      name,
      version,
      description,
      hooks: lists.hooks,
      tools: lists.tools,
      commands: lists.commands,
      platforms: lists.platforms,
      folder,
      main: path,
      unknown: keys.filter((key) => !known.includes(key) && !HARMLESS.includes(key)),
    },
  };
}

/** For people; nothing here reads them. */
const HARMLESS = ["author", "license", "homepage", "repository", "keywords"];

async function firstThere(folder: string): Promise<string | undefined> {
  for (const name of MAIN_DEFAULTS) {
    if ((await lstat(join(folder, name)).catch(() => undefined)) !== undefined) return name;
  }
  return undefined;
}

/** A link or a pipe in the manifest's place is not opened. */
async function readBounded(path: string): Promise<string | { readonly problem: string }> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return { problem: `there is no ${MANIFEST_FILE}` };
  if (!found.isFile()) return { problem: `${MANIFEST_FILE} is not a plain file` };
  if (found.size > MANIFEST_BYTES_MAX)
    return { problem: `${MANIFEST_FILE} is larger than ${MANIFEST_BYTES_MAX} bytes` };
  try {
    const file = await open(path, "r");
    return await file.readFile("utf8").finally(() => file.close());
  } catch (error) {
    return { problem: `${MANIFEST_FILE} cannot be read: ${(error as Error).message}` };
  }
}

function issueWords({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? `${MANIFEST_FILE} holds no keys` : `${path.join(".")}: expected ${message}`;
}

function broken(problem: string): ReadManifest {
  return { kind: "broken", problem };
}

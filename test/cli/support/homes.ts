/** Homes with known content, filled by a process of their own so that the test holds no file open. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import type { ImportedMessage } from "#session/verbs/care.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import type { HomeSpec } from "./fill-home.js";
import { cleanEnv, finished } from "./run.js";

export type { HomeSpec } from "./fill-home.js";
export type SpecConversation = NonNullable<HomeSpec["conversations"]>[number];

export const DAY_MS = 86_400_000;

const scripts = new Map<string, Promise<string>>();

export async function fillHome(home: string, spec: HomeSpec): Promise<void> {
  const child = await startFilling(home, spec, "once");
  const { code, stderr } = await finished(child);
  if (code !== 0) throw new Error(`the home was not filled: ${stderr}`);
}

/** Fills it and stays, with the home's lock, until it is killed. Resolves when everything is written. */
export async function holdHome(home: string, spec: HomeSpec): Promise<ChildProcess> {
  const child = await startFilling(home, spec, "hold");
  if (child.stdout !== null) await once(child.stdout, "data");
  return child;
}

async function startFilling(home: string, spec: HomeSpec, mode: "once" | "hold"): Promise<ChildProcess> {
  const path = join(packageRoot(), "test", "cli", "support", "fill-home.ts");
  if (!scripts.has(path)) scripts.set(path, bundleTs(path));
  const script = await (scripts.get(path) as Promise<string>);
  const child = spawn(process.execPath, [script, home, mode], { env: cleanEnv(home), stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(JSON.stringify(spec));
  return child;
}

/** An ordinary conversation: two messages, ended a moment after it was used. */
export function conversation(
  id: string,
  more: Partial<SpecConversation> & { readonly title?: string; readonly activeMs: number },
): SpecConversation {
  const { title, activeMs, ...rest } = more;
  const createdMs = more.createdMs ?? activeMs - 60_000;
  return {
    id,
    lineage: "import",
    source: "cli",
    createdMs,
    activeMs,
    first: {
      id: `${id}-s`,
      createdMs,
      model: "demo-model",
      ...(title === undefined ? {} : { title }),
      openings: [{ platform: "cli", openedMs: createdMs, closedMs: activeMs, reason: "cli_close" }],
    },
    messages: messages(activeMs, ["user", `hello from ${id}`], ["assistant", `hi, this is ${id}`]),
    ...rest,
  };
}

export function messages(
  atMs: number,
  ...said: readonly (readonly [role: ImportedMessage["role"], text: string, more?: Partial<ImportedMessage>])[]
): ImportedMessage[] {
  return said.map(([role, text, more], at) => ({ role, text, atMs: atMs + at * 1000, sourceNo: at + 1, ...more }));
}

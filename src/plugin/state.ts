/**
 * `plugins/state.json`: which plugins a person enabled and trusts, which were set aside and why, their strikes, and what
 * each registered when it was last loaded. Replaced in one rename; two programs that change it take turns.
 */
import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { replaceFile } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { OperationalError, UserError } from "#base/errors.js";
import { PLUGINS_MAX } from "./limits.js";
import { CONTRIBUTION } from "./wire/frames.js";

const STATE_FILE = "state.json";
const LOCK_WAIT_MS = 2_000;
const LOCK_POLL_MS = 20;
/** Nobody holds it longer than a write takes: whoever made it is dead. */
const LOCK_STALE_MS = 10_000;

const eventSchema = z.object({ name: z.string(), reason: z.string(), atMs: z.number() });

const stateSchema = z.object({
  version: z.literal(1),
  enabled: z.array(z.string()).max(PLUGINS_MAX),
  /** Their tools run without asking. */
  trusted: z.array(z.string()).default([]),
  setAside: z.array(eventSchema).default([]),
  strikes: z.array(eventSchema).default([]),
  known: z.record(z.string(), z.object({ version: z.string(), contribution: CONTRIBUTION })).default({}),
});

export type PluginState = z.infer<typeof stateSchema>;
export type PluginMishap = z.infer<typeof eventSchema>;

export const NO_STATE: PluginState = { version: 1, enabled: [], trusted: [], setAside: [], strikes: [], known: {} };

/** A UserError when the file is damaged: what is enabled is a person's decision, and nobody guesses it. */
export async function readState(pluginsDir: string): Promise<PluginState> {
  const path = join(pluginsDir, STATE_FILE);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return NO_STATE;
  const parsed = stateSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UserError(
    `${path} is damaged: which plugins are enabled is not known, and none runs`,
    `remove it, then enable your plugins again: rm ${path}`,
  );
}

/** Reads, changes and replaces; resolves when it is on stable storage. Answers the new state. */
export async function changeState(
  pluginsDir: string,
  clock: Clock,
  change: (state: PluginState) => PluginState,
): Promise<PluginState> {
  await mkdir(pluginsDir, { recursive: true, mode: 0o700 });
  const path = join(pluginsDir, STATE_FILE);
  const unlock = await lock(`${path}.lock`, clock);
  try {
    const before = await readState(pluginsDir);
    const after = change(before);
    if (after !== before) await replaceFile(path, `${JSON.stringify(after, null, 2)}\n`, { clock });
    return after;
  } finally {
    await unlock();
  }
}

async function lock(path: string, clock: Clock): Promise<() => Promise<void>> {
  const untilMs = clock.monotonicMs() + LOCK_WAIT_MS;
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const made = await stat(path).catch(() => undefined);
    if (made !== undefined && clock.nowMs() - made.mtimeMs > LOCK_STALE_MS) await rm(path, { force: true });
    else if (clock.monotonicMs() >= untilMs) {
      throw new OperationalError(
        "file-busy",
        "after-delay",
        `another program is changing ${dirname(path)}/${STATE_FILE}`,
      );
    } else await clock.sleep(LOCK_POLL_MS);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

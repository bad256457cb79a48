/** A home whose hooks write what they hear into a file, one line each: what a real hook saw, from a real host. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WAIT_MS } from "../rpc/support/client.js";
import type { Stage } from "../rpc/support/stage.js";

export const HEARD = [
  "on_session_start",
  "on_session_end",
  "on_session_finalize",
  "on_session_reset",
  "session:compress",
] as const;

/** One write a line: several hooks may run at once. */
export const HEAR = 'printf "%s\\n" "$(cat)" >> "$TALARIA_HOME/heard"';

/** Lines of config.yaml: each of these events is appended to `heard` in the home. */
export function hearing(extra = ""): string {
  const entries = HEARD.map((name) => `  "${name}":\n    - command: '${HEAR}'\n`).join("");
  return `hooks_auto_accept: true\nhooks:\n${entries}${extra}`;
}

export interface Heard {
  readonly name: string;
  readonly session: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function heard({ place }: Stage): readonly Heard[] {
  const file = join(place.home, "heard");
  if (!existsSync(file)) return [];
  return (
    readFileSync(file, "utf8")
      .split("\n")
      // What stands behind the last line's end is being written.
      .slice(0, -1)
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const told = JSON.parse(line) as Record<string, unknown>;
        const payload = { ...(told["extra"] as Record<string, unknown> | undefined), ...told };
        return { name: String(told["hook_event_name"]), session: String(told["session_id"]), payload };
      })
  );
}

/**
 * What was told of a session, in the order in which it happened: each event has a hook of its own here, and they hear
 * beside each other. One that a stop or a death cut hears again, by the same key, and counts once.
 */
export function toldOf(all: readonly Heard[], session: string): readonly string[] {
  const mine = all.filter((one) => one.session === session);
  const names = new Map(mine.map(({ name, payload }) => [String(payload["delivery_key"]), name]));
  // A key begins with the number of its fact.
  const inOrder = [...names].sort(([one], [other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return inOrder.map(([, name]) => name);
}

export async function hears(
  stage: Stage,
  what: string,
  isSo: (all: readonly Heard[]) => boolean,
): Promise<readonly Heard[]> {
  const giveUp = performance.now() + WAIT_MS;
  for (;;) {
    const all = heard(stage);
    if (isSo(all)) return all;
    if (performance.now() > giveUp)
      throw new Error(`${what} was not heard; heard ${JSON.stringify(all).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

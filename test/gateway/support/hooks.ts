/** Shell hooks that write down what they hear. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Heard } from "../../hook/support.js";
import type { Stage } from "./stage.js";

/** One line a fact, in one write; the process begins in the folder for work. */
export const NOTE = `f="$HOME/note.$$"; tr -d '\\n' > "$f" && echo >> "$f" && cat "$f" >> "$HOME/heard.jsonl"; rm -f "$f"`;

/** Settings for hooks of these events, each told to the command. Not for a minute: a moved clock makes a moment of it. */
export function hooksOf(commands: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const hooks = Object.entries(commands).map(([event, command]) => [event, [{ command, timeout: 50 }]]);
  // `$${` is how a settings file says `${`.
  return { hooks_auto_accept: true, hooks: Object.fromEntries(hooks) };
}

/** What they heard so far, in the order in which they wrote it. */
export function heardIn({ work }: Stage): readonly Heard[] {
  const path = join(work, "heard.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Heard);
}

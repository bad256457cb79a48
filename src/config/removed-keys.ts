/** [BH-17] Settings that an imported configuration may still hold and that do nothing: noted, never an error. */

const REMOVED: Readonly<Record<string, string>> = {
  "auxiliary.flush_memories": "there is no memory flush that could delay a reply",
  "memory.flush_min_turns": "there is no memory flush that could delay a reply",
};

export function removedNote(name: string): string | undefined {
  const why = Object.hasOwn(REMOVED, name) ? REMOVED[name] : undefined;
  return why === undefined ? undefined : `${name} is ignored: ${why}`;
}

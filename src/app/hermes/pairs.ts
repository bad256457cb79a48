/** Pairs tool calls with their results inside one session, to report what has no partner. */
import type { NewMessage } from "#session/message.js";

export interface Pairs {
  see(message: NewMessage): void;
  unmatched(): { readonly callsOpen: readonly string[]; readonly resultsOpen: readonly string[] };
}

export function createPairs(): Pairs {
  const open = new Set<string>();
  const seen = new Set<string>();
  const resultsOpen: string[] = [];
  return {
    see({ role, body }) {
      for (const call of body?.toolCalls ?? []) {
        open.add(call.id);
        seen.add(call.id);
      }
      if (role !== "tool") return;
      const id = body?.toolCallId ?? "";
      open.delete(id);
      if (!seen.has(id)) resultsOpen.push(id === "" ? "(no id)" : id);
    },
    unmatched: () => ({ callsOpen: [...open], resultsOpen }),
  };
}

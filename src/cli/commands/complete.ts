/** `talaria __complete KIND PREFIX`: candidates for the completion scripts, one a line, `value<TAB>description`. */
import { visible } from "#base/text-width.js";
import type { Register } from "../command.js";
import { CANDIDATES_MAX, COMPLETERS } from "../completion-kinds.js";

export const register: Register = (command, context) => {
  command
    .argument("<kind>")
    .argument("[prefix]", "what is typed so far", "")
    .action(async (kind: string, prefix: string) => {
      const completer = Object.hasOwn(COMPLETERS, kind) ? COMPLETERS[kind] : undefined;
      // A failure is nobody's business while they are typing; the command itself will tell.
      const candidates = (await completer?.(context, prefix).catch(() => [])) ?? [];
      for (const { value, description } of candidates.slice(0, CANDIDATES_MAX)) {
        context.out.line(description === undefined ? visible(value) : `${visible(value)}\t${visible(description)}`);
      }
    });
};

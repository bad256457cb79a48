/** Says which variables a running host has otherwise than this shell, and what brings it this shell's. */
const NAMES_SHOWN = 5;

export function otherVariablesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(", ");
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "";
  return `the running host was started with other variables than this shell has: ${shown}${more}; talaria host restart gives it yours`;
}

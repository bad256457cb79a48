/**
 * The layers of `src/` as data: which folder may import which. ARCHITECTURE.md shows the same table, and
 * the check compares the two. A new arrow needs a decision record in docs/adr.
 */

const ALL = [
  "base",
  "session",
  "config",
  "model",
  "platform",
  "tool",
  "memory",
  "store",
  "hook",
  "protocol",
  "agent",
  "runtime",
  "command",
  "plugin",
  "gateway",
  "server",
  "client",
  "tui",
  "web",
  "app",
  "cli",
] as const;

export type Layer = (typeof ALL)[number];

const except = (...left: Layer[]): Layer[] => ALL.filter((layer) => !left.includes(layer));

/** Its own layer aside: inside a layer, imports are relative and free of cycles. */
export const MAY_IMPORT: Readonly<Record<Layer, readonly Layer[]>> = {
  base: [],
  session: ["base"],
  config: ["base"],
  model: ["base"],
  platform: ["base"],
  tool: ["base", "session"],
  memory: ["base", "session"],
  store: ["base", "session"],
  hook: ["base", "session"],
  protocol: ["base", "session"],
  agent: ["base", "session", "model", "tool", "hook", "memory"],
  runtime: ["base", "session", "model", "tool", "hook", "memory", "agent"],
  command: ["base", "session", "config", "model", "tool", "memory", "runtime"],
  plugin: ["base", "session", "model", "tool", "hook", "memory", "platform", "command"],
  gateway: ["base", "session", "config", "hook", "platform", "runtime", "command"],
  server: ["base", "session", "config", "protocol", "runtime", "command"],
  client: ["base", "protocol"],
  tui: ["base", "protocol", "client"],
  app: except("app", "cli", "tui", "web"),
  cli: ["base", "session", "config", "protocol", "client", "tui", "app"],
  web: ["protocol", "client"],
};

/** The only tables that may hold a session id, so that compaction moves one pointer and nothing goes stale. */
export const TABLES_WITH_SESSION: readonly string[] = ["session", "opening", "message", "boundary_event"];

/** The one pointer that a compaction moves. */
export const TIP_POINTER = { table: "conversation", column: "tip" } as const;

export function isLayer(name: string): name is Layer {
  return Object.hasOwn(MAY_IMPORT, name);
}

/**
 * The table of ARCHITECTURE.md as data: rows of `| layers | may import |`, where `–` means nothing and
 * `everything except a, b` means what it says. Undefined when there is no such table.
 */
export function readLayerTable(markdown: string): Map<string, readonly string[]> | undefined {
  const lines = markdown.split("\n").map((line) => line.trim());
  const start = lines.findIndex((line) => /^\|\s*layer\s*\|\s*may import\s*\|$/i.test(line));
  if (start < 0) return undefined;
  const table = new Map<string, readonly string[]>();
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith("|")) break;
    const [layers = "", imports = ""] = line.slice(1, -1).split("|");
    for (const layer of words(layers)) table.set(layer, importsOf(layer, imports));
  }
  return table;
}

function importsOf(layer: string, cell: string): readonly string[] {
  const [, left] = /everything except(.*)/i.exec(cell) ?? [];
  if (left === undefined) return words(cell);
  const without = new Set([layer, ...words(left)]);
  return ALL.filter((name) => !without.has(name));
}

function words(cell: string): string[] {
  return cell.match(/[a-z]+/g) ?? [];
}

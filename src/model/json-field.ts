/** Reading members of values whose shape nobody promised. */

/** A member of whatever came, undefined when it has none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

/** A string with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

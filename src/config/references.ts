/**
 * `${NAME}` in a text value of config.yaml stands for a variable of the environment or of `.env`, so that a
 * secret need not be in the file. `$${NAME}` is the text `${NAME}`. A result is not looked at again.
 */

export type Resolution =
  | { readonly kind: "resolved"; readonly text: string }
  | { readonly kind: "missing"; readonly variable: string };

const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]{0,255})\}/g;

/** In a text, or anywhere in a list or a map. */
export function hasReference(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${");
  return typeof value === "object" && value !== null && Object.values(value).some((item) => hasReference(item));
}

export function resolveReferences(text: string, lookup: (variable: string) => string | undefined): Resolution {
  let missing: string | undefined;
  const resolved = text.replace(REFERENCE, (_whole, escaped: string, variable: string) => {
    if (escaped !== "") return `\${${variable}}`;
    const value = lookup(variable);
    if (value === undefined) missing ??= variable;
    return value ?? "";
  });
  return missing === undefined ? { kind: "resolved", text: resolved } : { kind: "missing", variable: missing };
}

export type DeepResolution =
  | { readonly kind: "resolved"; readonly value: unknown }
  | { readonly kind: "missing"; readonly variable: string };

/** The same for every text in a list or a map; names of entries are left as they are. */
export function resolveDeep(value: unknown, lookup: (variable: string) => string | undefined): DeepResolution {
  let missing: string | undefined;
  const walk = (item: unknown): unknown => {
    if (typeof item === "string") {
      const resolution = resolveReferences(item, lookup);
      if (resolution.kind === "resolved") return resolution.text;
      missing ??= resolution.variable;
      return item;
    }
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, inner]) => [name, walk(inner)]));
  };
  const resolved = walk(value);
  return missing === undefined ? { kind: "resolved", value: resolved } : { kind: "missing", variable: missing };
}

/**
 * `${NAME}` in a text value of config.yaml stands for a variable of the environment or of `.env`, so that a
 * secret need not be in the file. `$${NAME}` is the text `${NAME}`. A result is not looked at again.
 */

export type Resolution =
  | { readonly kind: "resolved"; readonly text: string }
  | { readonly kind: "missing"; readonly variable: string };

const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]{0,255})\}/g;

export function hasReference(text: string): boolean {
  return text.includes("${");
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

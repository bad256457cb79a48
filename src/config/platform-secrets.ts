/** Settings of platforms that are secret although their names do not say so: whoever knows the address may write there. */
import { REDACTED } from "#base/redact.js";
import { hasReference } from "./references.js";

export const SECRET_PLATFORM_KEYS: readonly string[] = ["out_url"];

/** `platforms` without them; a reference to a variable is shown as it is. */
export function withoutPlatformSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlatformSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_PLATFORM_KEYS.includes(name) && typeof item === "string" && !hasReference(item)
        ? REDACTED
        : withoutPlatformSecrets(item),
    ]),
  );
}

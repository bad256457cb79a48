/**
 * A plugin's JSON Schema as what checks a tool's input here. The model reads the schema as the plugin wrote it. What is
 * checked on our own event loop may not take long whatever it says: patterns are left to the plugin.
 */
import { z } from "zod";

const DEPTH_MAX = 12;

export function inputSchema(schema: Readonly<Record<string, unknown>>): z.ZodType {
  const { $schema, $id, id, ...shown } = schema;
  return checked(shown).meta(shown);
}

function checked(schema: Readonly<Record<string, unknown>>): z.ZodType {
  try {
    return z.fromJSONSchema(withoutPatterns(schema, 0) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    // Something of JSON Schema that cannot be checked here; the plugin has to look at its input itself.
    return z.looseObject({});
  }
}

const LEFT_OUT = new Set(["pattern", "patternProperties", "propertyNames", "format", "$dynamicRef"]);

/** Below `properties` keys are names of the tool's own, whatever they are called. */
function withoutPatterns(value: unknown, depth: number, isNames = false): unknown {
  if (depth > DEPTH_MAX) throw new RangeError("a schema this deep is not checked");
  if (Array.isArray(value)) return value.map((item) => withoutPatterns(item, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !LEFT_OUT.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutPatterns(item, depth + 1, !isNames && NAMED.has(key))]),
  );
}

const NAMED = new Set(["properties", "$defs", "definitions"]);

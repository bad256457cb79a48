import { describe, expect, it } from "vitest";
import { z } from "zod";
import { cpuMs } from "../../test/support/cpu-time.js";
import { inputSchema } from "./input-schema.js";

const shown = (schema: Readonly<Record<string, unknown>>) => {
  const { $schema, ...rest } = z.toJSONSchema(inputSchema(schema), { io: "input" });
  return rest;
};
const fits = (schema: Readonly<Record<string, unknown>>, value: unknown) =>
  inputSchema(schema).safeParse(value).success;

const city = {
  type: "object",
  properties: {
    city: { type: "string", pattern: "^(a+)+$", description: "where" },
    days: { type: "integer", minimum: 1, maximum: 7 },
    pattern: { enum: ["rain", "sun"] },
  },
  required: ["city"],
  additionalProperties: false,
};

describe("a plugin's input schema", () => {
  it("[PL-5] is shown to the model as the plugin wrote it", () => {
    expect(shown({ $schema: "https://json-schema.org/draft/2020-12/schema", $id: "x", ...city })).toEqual(city);
  });

  it.each([
    [{ city: "x" }, true],
    [{ city: "x", days: 3, pattern: "sun" }, true],
    [{ days: 3 }, false],
    [{ city: 5 }, false],
    [{ city: "x", days: 9 }, false],
    [{ city: "x", pattern: "hail" }, false],
    [{ city: "x", more: 1 }, false],
    [[], false],
    ["text", false],
  ])("[PL-5] keeps what does not fit from the plugin: %j", (value, isFine) => expect(fits(city, value)).toBe(isFine));

  it("[PL-5] runs no pattern of a plugin on our event loop", () => {
    expect(cpuMs(() => expect(fits(city, { city: `${"a".repeat(40)}!` })).toBe(true))).toBeLessThan(500);
  });

  it("[PL-5] lets an object through that cannot be checked here, and shows the schema all the same", () => {
    const strange = { type: "object", dependentRequired: { a: ["b"] } };
    expect(shown(strange)).toMatchObject(strange);
    expect(fits(strange, { a: 1 })).toBe(true);
    expect(fits(strange, 1)).toBe(false);
  });
});

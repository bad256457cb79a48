import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { API_TYPES } from "#app/plugin-template.js";
import { packageRoot } from "#base/package-root.js";
import type { HookName, Intercepted } from "#hook/hook.js";
import type { PluginAnswers, PluginHookName } from "#plugin/api.js";
import { camelKeys } from "#plugin/camel.js";

describe("what a plugin is written against", () => {
  it("[PL-2] names exactly the hooks there are", () => {
    expectTypeOf<PluginHookName>().toEqualTypeOf<HookName>();
    expectTypeOf<keyof PluginAnswers>().toEqualTypeOf<Intercepted>();
  });

  it("[PL-2] is shipped as it is: copy src/plugin/api.ts to the guide when this fails", () => {
    const source = readFileSync(join(packageRoot(), "src", "plugin", "api.ts"), "utf8");
    expect(readFileSync(join(packageRoot(), API_TYPES), "utf8")).toBe(source);
    expect(source).not.toMatch(/^import/m);
  });

  it("[PL-2] has payload keys in camelCase, outer ones only", () => {
    const args = { some_path: 1 };
    expect(camelKeys({ session_id: 1, tool_name: 2, args, is_first_turn: true, _private: 3, a_1: 4 })).toEqual({
      sessionId: 1,
      toolName: 2,
      args,
      isFirstTurn: true,
      _private: 3,
      a1: 4,
    });
  });
});

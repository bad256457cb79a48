import { describe, expect, it } from "vitest";
import { BANNED_ENDINGS, checkNames } from "../../scripts/check-names.js";
import { plant } from "./tree.js";

const problemsOf = (text: string) => checkNames(plant({ "src/session/a.ts": text })).problems;

describe("the name check", () => {
  it.each(BANNED_ENDINGS)("refuses a type that ends in %s", (ending) => {
    expect(problemsOf(`export class Turn${ending} {}\n`)).toHaveLength(1);
    expect(problemsOf(`export interface Turn${ending} {}\n`)).toHaveLength(1);
    expect(problemsOf(`export type Turn${ending} = string;\n`)).toHaveLength(1);
  });

  it("refuses an empty catch, also with a comment in it", () => {
    expect(problemsOf("try {\n  go();\n} catch {\n  // Never mind.\n}\n")).toEqual([
      "src/session/a.ts:3 an empty catch; translate the error, decide by it, or let it go on",
    ]);
  });

  it("accepts names that say what a thing is, and a catch that decides", () => {
    expect(problemsOf("export class Turn {}\nexport const f = () => { try { go(); } catch { return 1; } };\n")).toEqual(
      [],
    );
  });
});

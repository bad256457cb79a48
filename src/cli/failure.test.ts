import { describe, expect, it } from "vitest";
import { InvariantError, OperationalError, UserError } from "#base/errors.js";
import { EXIT, exitName } from "./exit-codes.js";
import { renderFailure, toFailure } from "./failure.js";
import { createPaint, wantsColor } from "./paint.js";

const plain = { json: false, paint: createPaint(false) };

describe("a failure", () => {
  it.each([
    [new UserError("no such session", "talaria sessions list", 3), { code: "not-found", exitCode: 3 }],
    [new UserError("no"), { code: "failed", exitCode: 1 }],
    [new OperationalError("disk-full", "never", "the disk is full"), { code: "disk-full", exitCode: 5 }],
    [new OperationalError("damaged", "never", "the file is damaged"), { code: "damaged", exitCode: 5 }],
    [new OperationalError("home-locked", "never", "pid 7 has it"), { code: "home-locked", exitCode: 4 }],
    [new OperationalError("model-timeout", "after-delay", "slow"), { code: "model-timeout", exitCode: 1 }],
    [new InvariantError("impossible"), { code: "bug", exitCode: 1 }],
    ["a thrown string", { code: "bug", exitCode: 1 }],
  ])("has a code and an exit code: %s", (error, expected) =>
    expect(toFailure(error, "talaria --help")).toMatchObject(expected),
  );

  it("is two lines for people, with the stack only in the failure itself", () => {
    const failure = toFailure(new UserError("the store is locked", "stop the other one"), "");
    expect(renderFailure(failure, plain)).toBe("talaria: the store is locked\n  stop the other one\n");
    const bug = toFailure(new InvariantError("impossible"), "");
    expect(bug.stack).toContain("failure.test");
    expect(renderFailure(bug, plain)).not.toContain("failure.test");
  });

  it("is one JSON line for programs", () => {
    const text = renderFailure(toFailure(new UserError("a\nb", "c"), ""), { ...plain, json: true });
    expect(text.endsWith("\n")).toBe(true);
    expect(JSON.parse(text)).toEqual({ error: { code: "failed", message: "a\nb", hint: "c" } });
  });

  it("cannot move the cursor", () => {
    expect(renderFailure(toFailure(new UserError("a\u001b[2Jb", "c\u001b]0;d\u0007"), ""), plain)).toBe(
      "talaria: ab\n  c\n",
    );
  });

  it("has a name for every exit code", () => {
    for (const [name, code] of Object.entries(EXIT)) expect(exitName(code)).toBe(name);
    expect(exitName(77)).toBe("failed");
  });
});

describe("colour", () => {
  const at = (
    setting: "auto" | "always" | "never",
    env: NodeJS.ProcessEnv,
    isTerminal: boolean,
    flag = true,
  ): boolean => wantsColor(setting, { env, isTerminal, flag });

  it.each([
    ["auto in a terminal", at("auto", {}, true), true],
    ["auto elsewhere", at("auto", {}, false), false],
    ["auto in a dumb terminal", at("auto", { TERM: "dumb" }, true), false],
    ["always elsewhere", at("always", {}, false), true],
    ["never in a terminal", at("never", {}, true), false],
    ["NO_COLOR", at("always", { NO_COLOR: "1" }, true), false],
    ["an empty NO_COLOR", at("auto", { NO_COLOR: "" }, true), true],
    ["--no-color", at("always", {}, true, false), false],
  ])("%s", (_title, actual, expected) => expect(actual).toBe(expected));
});

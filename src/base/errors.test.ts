import { describe, expect, it } from "vitest";
import { InvariantError, invariant, OperationalError, UserError, unreachable } from "./errors.js";

describe("the three kinds of error", () => {
  it("are told apart by class and by name", () => {
    const errors = [new InvariantError("bug"), new OperationalError("code", "never", "outage"), new UserError("no")];
    expect(errors.map((error) => error.name)).toEqual(["InvariantError", "OperationalError", "UserError"]);
    expect(errors.every((error) => error instanceof Error && error.stack !== undefined)).toBe(true);
    expect(errors.filter((error) => error instanceof OperationalError)).toHaveLength(1);
  });

  it("an outage carries its code, whether to try again, and its cause", () => {
    const cause = new Error("ENOSPC");
    const error = new OperationalError("disk-full", "after-delay", "the disk is full", { cause });
    expect(error).toMatchObject({ code: "disk-full", retry: "after-delay", message: "the disk is full", cause });
  });

  it("a person's mistake ends a command with its exit code and may hint at the way out", () => {
    expect(new UserError("no")).toMatchObject({ exitCode: 1, hint: undefined });
    expect(new UserError("no", "try that", 2)).toMatchObject({ exitCode: 2, hint: "try that" });
  });
});

describe("invariant", () => {
  it.each([true, 1, "x", {}, []])("lets %j pass", (value) => {
    expect(() => invariant(value, "never")).not.toThrow();
  });

  it.each([false, 0, "", null, undefined, Number.NaN])("stops at %j with its message", (value) => {
    expect(() => invariant(value, "what must hold")).toThrow(new InvariantError("what must hold"));
  });
});

describe("unreachable", () => {
  it("names the variant that nobody handled", () => {
    expect(() => unreachable({ kind: "new-one" } as never)).toThrow(/unhandled variant: \{"kind":"new-one"\}/);
  });
});

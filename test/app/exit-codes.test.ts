import { describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import { EXIT, exitCodeOf } from "../../src/cli/exit-codes.js";

describe("the exit code of an outage", () => {
  it.each([
    ["home-locked", EXIT.locked],
    ["disk-full", EXIT.storage],
    ["storage-failed", EXIT.storage],
    ["damaged", EXIT.storage],
    ["foreign-file", EXIT.storage],
    ["newer-schema", EXIT.storage],
    ["older-schema", EXIT.storage],
    ["read-only", EXIT.storage],
    ["cannot-open", EXIT.storage],
    ["file-system", EXIT.storage],
    ["migration-failed", EXIT.storage],
    ["store-busy", EXIT.storage],
    ["file-ENOSPC", EXIT.storage],
    ["file-link", EXIT.storage],
    ["model-timeout", EXIT.failed],
    ["locksmith", EXIT.failed],
    ["constructor", EXIT.failed],
  ])("%s is %i", (code, expected) =>
    expect(exitCodeOf(new OperationalError(code, "never", "it failed"))).toBe(expected),
  );
});

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { packageRoot } from "./package-root.js";

let script: string;
beforeAll(async () => {
  script = await bundleTs(join(packageRoot(), "test", "support", "faults.ts"));
});

function run(fault: string | undefined): { signal: string | null; said: string[] } {
  const { TALARIA_FAULT: _, ...env } = process.env;
  const child = spawnSync(process.execPath, [script], {
    encoding: "utf8",
    env: fault === undefined ? env : { ...env, TALARIA_FAULT: fault },
  });
  return { signal: child.signal, said: child.stdout.split("\n").filter(Boolean) };
}

const ALL = ["before 1", "after 1", "before 2", "after 2", "before 3", "after 3"];

describe("a fault point", () => {
  it.each([undefined, "", "another.point", "one.before:0", "one.before:9", "not a plan!"])(
    "does nothing when the plan is %j",
    (plan) => {
      expect(run(plan)).toEqual({ signal: null, said: ALL });
    },
  );

  it.each([
    ["one.before", []],
    ["one.after", ["before 1"]],
    ["one.before:3", ["before 1", "after 1", "before 2", "after 2"]],
    ["one.after:2", ["before 1", "after 1", "before 2"]],
  ])("kills the process on the spot when the plan is %s", (plan, said) => {
    expect(run(plan)).toEqual({ signal: "SIGKILL", said });
  });
});

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkProof, checkSpec } from "../../scripts/check-spec.js";
import { plant } from "./tree.js";

// Ids of rules that exist nowhere are put together here, so that this file itself cites none.
const id = (name: string) => `[${name}]`;

function page(rules: readonly string[], pending: Readonly<Record<string, string>>, count?: number): string {
  const rows = Object.entries(pending).map(([work, ids]) => `| ${work} | ${ids} |`);
  const total = count ?? Object.values(pending).flatMap((ids) => ids.split(",")).length;
  const table = ["| work | rules |", "|---|---|", ...rows].join("\n");
  return `# Rules\n\n${rules.map((rule) => `- **${rule}** Something holds.`).join("\n")}\n\nPending: ${total} (may only fall)\n\n${table}\n`;
}

const testTitled = (title: string) => `it(${JSON.stringify(title)}, () => {});\n`;

function problemsOf(files: Readonly<Record<string, string>>): string {
  return checkSpec(plant(files)).problems.join("\n");
}

describe("the rule check", () => {
  it("accepts rules that are cited or pending, and says how many are pending for what", () => {
    const report = checkSpec(
      plant({
        "docs/SPEC.md": page(["XX-1", "XX-2", "XX-3a"], { turn: "XX-2", host: "XX-3a" }),
        "src/session/a.test.ts": testTitled(`${id("XX-1")} holds`),
      }),
    );
    expect(report).toMatchObject({ problems: [], summary: "3 rules; 2 pending (turn 1, host 1)" });
  });

  it("refuses a rule that is neither cited nor pending", () => {
    expect(problemsOf({ "docs/SPEC.md": page(["XX-1"], {}, 0) })).toBe("XX-1 is cited by no test and not pending");
  });

  it("refuses a test that cites an unknown rule, with its line", () => {
    const found = problemsOf({
      "docs/SPEC.md": page([], {}, 0),
      "test/a.test.ts": `\n${testTitled(`${id("XX-9")} holds`)}`,
    });
    expect(found).toBe("test/a.test.ts:2 cites XX-9, which is no rule of docs/SPEC.md");
  });

  it("counts a pending rule that a test cites as shown in part", () => {
    const files = {
      "docs/SPEC.md": page(["XX-1"], { turn: "XX-1" }),
      "src/a.contract.ts": testTitled(`${id("XX-1")} holds`),
    };
    const { problems, summary } = checkSpec(plant(files));
    expect(problems).toEqual([]);
    expect(summary).toBe("1 rules; 1 pending (turn 1), 1 of them shown in part");
  });

  it.each([
    ["an unknown rule among the pending ones", page(["XX-1"], { turn: "XX-1, XX-2" }), "no such rule"],
    ["an unknown work", page(["XX-1"], { someday: "XX-1" }), "someday is no work"],
    ["a rule that is pending twice", page(["XX-1"], { turn: "XX-1", host: "XX-1" }), "pending twice"],
    ["a rule that stands there twice", page(["XX-1", "XX-1"], { turn: "XX-1" }), "stands there twice"],
    ["a count that is not true", page(["XX-1"], { turn: "XX-1" }, 7), "write the true number"],
    ["a missing count", page(["XX-1"], { turn: "XX-1" }).replace(/Pending: .*/, ""), "is missing"],
  ])("refuses %s", (_, spec, expected) => {
    expect(problemsOf({ "docs/SPEC.md": spec })).toContain(expected);
  });

  it.each([
    ["a comment", `// ${id("XX-1")} holds\n`],
    ["a skipped test", `it.skip("${id("XX-1")} holds", () => {});\n`],
    ["a test to do", `it.todo("${id("XX-1")} holds");\n`],
    ["a test inside a skipped group", `describe.skip("x", () => { it("${id("XX-1")} holds", () => {}); });\n`],
    ["a string that merely mentions it", `log("see ${id("XX-1")}");\n`],
  ])("does not count %s as a citation", (_, text) => {
    expect(problemsOf({ "docs/SPEC.md": page(["XX-1"], {}, 0), "src/a.test.ts": text })).toContain("cited by no test");
  });

  it.each([
    ["a group's title", `describe("${id("XX-1")} holds", () => {});\n`],
    ["a second id in a title", `it("${id("XX-2")} ${id("XX-1")} hold", () => {});\n`],
    ["a table's title", `it.each(cases)("${id("XX-1")} holds for %s", () => {});\n`],
    ["a row of a table of cases", `const cases = [["${id("XX-1")} holds", 1]];\n`],
    ["a template", `it(\`${id("XX-1")} holds for \${name}\`, () => {});\n`],
  ])("counts %s as a citation", (_, text) => {
    const spec = page(["XX-1", "XX-2"], text.includes("XX-2") ? {} : { turn: "XX-2" }, text.includes("XX-2") ? 0 : 1);
    expect(problemsOf({ "docs/SPEC.md": spec, "src/a.test.ts": text })).toBe("");
  });

  it("refuses more pending rules than any remembered version had", () => {
    const root = plant({ "docs/SPEC.md": page(["XX-1"], { turn: "XX-1" }) });
    const git = (...args: string[]) => {
      const run = spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
        cwd: root,
        encoding: "utf8",
      });
      expect(run.stderr).toBe("");
    };
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "one");
    expect(checkSpec(root).problems).toEqual([]);
    writeFileSync(join(root, "docs/SPEC.md"), page(["XX-1", "XX-2"], { turn: "XX-1, XX-2" }));
    expect(checkSpec(root).problems).toEqual([expect.stringContaining("2 rules are pending, earlier only 1 were")]);
    git("commit", "-qam", "two");
    expect(checkSpec(root).problems).toEqual([expect.stringContaining("the count may only fall")]);
  });
});

describe("the proof of a full run", () => {
  it("asks for a passed test for every rule that is not pending", () => {
    const root = plant({ "docs/SPEC.md": page(["XX-1", "XX-2", "XX-3"], { turn: "XX-3" }) });
    expect(checkProof(root, [`store ${id("XX-1")} holds`, `${id("XX-2")} holds`])).toEqual([]);
    expect(checkProof(root, [`store ${id("XX-1")} holds`])).toEqual([
      "XX-2 is cited, but no test that cites it ran and passed",
    ]);
  });
});

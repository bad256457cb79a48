// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of a shell.
/** The judge against the shell it judges for: whatever bash really starts, the judge has seen. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { findShell } from "../terminal/shell.js";
import { judgeCommand } from "./commands.js";

/** On the floor by its name alone. The one that is started here only leaves a mark. */
const WORST = "killall5";
/** A number: that many fresh texts instead of the fixed ones. */
const RUNS = process.env["TALARIA_BASH_RUNS"];
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "talaria-bash-"));
  mkdirSync(join(root, "bin"));
  mkdirSync(join(root, "cwd"));
  writeFileSync(join(root, "bin", WORST), '#!/bin/sh\n: > "$MARK"\n', { mode: 0o755 });
  for (const name of ["bash", "cat", "env", "xargs"]) {
    const path = execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    symlinkSync(path, join(root, "bin", name));
  }
});
afterAll(() => removeFolder(root));

let marks = 0;

function isStarted(text: string): boolean {
  // One for each, since what an earlier text left in the background may start late.
  const mark = join(root, `hit-${marks++}`);
  const env = { PATH: join(root, "bin"), HOME: root, MARK: mark };
  spawnSync(findShell(), ["-c", text], { cwd: join(root, "cwd"), env, timeout: 2000, stdio: "ignore" });
  return existsSync(mark);
}

const FRAMES: readonly (readonly [string, string])[] = [
  ["", ""],
  ["true && ", ""],
  ["true; ", " #'"],
  ["(", ")"],
  ["{ ", "; }"],
  ["echo $(", ")"],
  ['echo "$(', ')"'],
  ["echo `", "`"],
  ["if true; then ", "; fi"],
  ["case x in x) ", ";; esac"],
  ['echo "$(case x in (y) ;; x) ', ';; esac)"'],
  ["for i in 1; do ", "; done"],
  ["f() { ", "; }; f"],
  ["cat <<A\n$(", ")\nA"],
  ["cat <<'A'\n'\nA\n", ""],
  ['cat <<-\\A\n\t"\n\tA\n', ""],
  ["echo $((1<<2)); ", ""],
  ["echo ${x:-$(", ")}"],
  ['echo "${x:-"$(', ')"}"'],
  ["[[ a < b ]]; ", ""],
  ["x='a b'; ", ""],
  ["x=(a 'b)'); ", ""],
  ["env A=1 ", ""],
  ["eval '", "'"],
  ["bash -c '", "'"],
  ["cat <(", ") >/dev/null"],
  ["true | ", ""],
  ["! ", ""],
  ["time -p ", ""],
  ["echo a | xargs ", ""],
  ["# '\n", ""],
  ["\\\n", ""],
  ["2>&1 ", ""],
  [">out ", " </dev/null"],
  ['echo \\"; ', " \\'"],
  ["echo $'\\''; ", ""],
  ["$nothing ", ""],
  ["((1 > 2)) || ", ""],
  ["coproc ", "; wait"],
  ["coproc X { ", "; }; wait"],
  ["exec 3<<<'", "'; bash <&3"],
  [". /dev/fd/3 3<<<'", "'"],
  ["let 'a[$(", ")]=1'"],
  ["unset 'a[$(", ")]'"],
  ["[ -v 'a[$(", ")]' ]"],
  ["y='a[$(", ")]'; echo $((y))"],
  ["a['$(", ")']=1"],
  ["echo ${a['$(", ")']}"],
  ["trap '", "' EXIT"],
  ["shopt -s expand_aliases\nalias z=", "\nz"],
  ['x() { "$@"; }; x ', ""],
  ["[[ -n x && ( -n y || -z y ) ]] && ", ""],
  ["'[[' || ", ""],
  ["X=1 [[ || ", ""],
];

it("[AP-23] sees what bash starts in any nesting of its grammar", () => {
  const names: readonly string[] = [
    WORST,
    "kill''all5",
    '"kill"all5',
    "\\killall5",
    "$'\\x6b'illall5",
    "{killall5,x}",
    `kill$${"{x}"}all5`,
  ];
  const text = fc
    .tuple(fc.constantFrom(...names), fc.array(fc.constantFrom(...FRAMES), { maxLength: 4 }))
    .map(([word, frames]) => frames.reduce((inner, [before, after]) => before + inner + after, word));
  let started = 0;
  fc.assert(
    fc.property(text, (command) => {
      if (!isStarted(command)) return;
      started++;
      const places = { cwd: join(root, "cwd"), home: join(root, ".talaria"), personHome: root };
      expect([command, judgeCommand(command, places).kind]).toEqual([command, "refuse"]);
    }),
    RUNS === undefined ? { numRuns: 250, seed: 20_260_115 } : { numRuns: Number(RUNS) },
  );
  // A test whose commands never run would prove nothing.
  expect(started).toBeGreaterThan(100);
});

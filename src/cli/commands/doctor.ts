/** `talaria doctor`: looks at everything, says what is wrong and what to do, and finishes what was left over. */
import type { Examination, Verdict } from "#app/doctor-finding.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import { addExamples, type CliContext, type Register } from "../command.js";
import type { Paint } from "../paint.js";
import { wrapText } from "./sessions-wrap.js";

interface DoctorOptions {
  readonly deep?: boolean;
  readonly rebuildSearch?: boolean;
}

export const register: Register = (command, context) => {
  command
    .description(
      "Check the program, the home, the settings, the model's key, the store and its backups. Beside a running program it only reads; " +
        "otherwise it also finishes what was left over. Ends with 1 when something failed.",
    )
    .option("--deep", "read every page of the store (slow when it is large)")
    .option("--rebuild-search", "make the search index anew")
    .action((options: DoctorOptions) => run(context, options));
  addExamples(command, [
    ["talaria doctor", "is everything well?"],
    ["talaria doctor --deep", "also every page of the database"],
    ["talaria doctor --rebuild-search", "when search finds too little"],
    ["talaria doctor --json", "for monitoring"],
  ]);
};

async function run(context: CliContext, options: DoctorOptions): Promise<void> {
  const { examine } = await import("#app/doctor.js");
  const { out } = context;
  if (options.rebuildSearch === true) await stepAside(context);
  const found: Examination[] = [];
  const request = {
    home: context.home,
    env: context.env,
    clock: context.clock,
    version: context.version,
    signal: context.signal,
    isDeep: options.deep === true,
    rebuildsSearch: options.rebuildSearch === true,
  };
  for await (const examination of examine(request)) {
    found.push(examination);
    if (!out.json) for (const line of lines(examination, out)) out.line(line);
  }
  const count = (verdict: Verdict): number => found.filter((one) => one.verdict === verdict).length;
  const summary = { ok: count("ok"), warn: count("warn"), fail: count("fail") };
  if (out.json) out.document({ checks: found, summary });
  else out.line();
  if (summary.fail > 0) throw new UserError(conclusion(summary), "the lines above say what to do");
  if (!out.json) out.line(conclusion(summary));
}

/** The index is made anew by whoever has the home. */
async function stepAside(context: CliContext): Promise<void> {
  const { askAside } = await import("#app/host/step-aside.js");
  if (await askAside(context)) context.out.note("The host stepped aside; the next chat starts it again.");
}

const NAME_CELLS = 12;
const INDENT_CELLS = 6 + NAME_CELLS;

function lines({ check, verdict, text, advice }: Examination, out: CliContext["out"]): string[] {
  const room = out.columns - INDENT_CELLS;
  const [first = "", ...rest] = wrapText(text, room);
  const indent = " ".repeat(INDENT_CELLS);
  const advised = advice === undefined ? [] : wrapText(`→ ${advice}`, room);
  return [
    `${mark(verdict, out.paint)}  ${visible(check).padEnd(NAME_CELLS)}${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...advised.map((line) => `${indent}${line}`),
  ];
}

function mark(verdict: Verdict, paint: Paint): string {
  return { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("FAIL") }[verdict];
}

function conclusion({ warn, fail }: { readonly warn: number; readonly fail: number }): string {
  if (fail > 0) return `${fail} of the checks failed${warn > 0 ? `, ${warn} to look at` : ""}`;
  return warn > 0 ? `Working, with ${warn} to look at.` : "All is well.";
}

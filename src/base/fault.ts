/**
 * Named fault points. They stay in the program so that anyone can re-run the fault injection against the very
 * build they use: `TALARIA_FAULT=store.before-commit:3` kills this process the third time it gets there.
 * Without that variable a fault point is one comparison.
 */

const plan = parsePlan(process.env["TALARIA_FAULT"]);
let hits = 0;

export function faultPoint(name: string): void {
  if (plan === undefined || plan.name !== name) return;
  hits++;
  if (hits === plan.at) process.kill(process.pid, "SIGKILL");
}

function parsePlan(text: string | undefined): { name: string; at: number } | undefined {
  const match = text === undefined ? null : /^([a-z.-]+)(?::(\d+))?$/.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1], at: Number(match[2] ?? 1) };
}

/** Hooks that fail, were given up on, or wait for a person's leave. A home without hooks has nothing to say. */
import { inspectConfig } from "#config/load.js";
import { type Examination, type ExamineRequest, ok, warn } from "./doctor-finding.js";
import { type ReviewedHook, reviewHooks } from "./hook-review.js";

const HOOKS_NAMED = 3;
const ERROR_CHARS_SHOWN = 200;

export async function* examineHooks({ home, env, clock, version }: ExamineRequest): AsyncGenerator<Examination> {
  const config = inspectConfig(home, env).values;
  const { hooks, remarks } = await reviewHooks({ home, env, config, clock, version });
  for (const remark of remarks) yield warn("hooks", remark);
  if (hooks.length === 0) return;
  const broken = hooks.filter(({ state }) => state === "failing" || state === "gave-up");
  for (const hook of broken.slice(0, HOOKS_NAMED)) yield warn("hooks", brokenText(hook), ADVICE_BROKEN);
  if (broken.length > HOOKS_NAMED)
    yield warn("hooks", `${broken.length - HOOKS_NAMED} more fail`, "talaria hooks list");
  const waiting = hooks.filter(({ state }) => state === "needs-consent");
  if (waiting.length > 0) {
    yield warn("hooks", `${waiting.length} ${waiting.length === 1 ? "needs" : "need"} your leave to run`, ADVICE_LEAVE);
  }
  const fresh = hooks.filter(({ state }) => state === "next-start");
  if (fresh.length > 0) {
    yield warn("hooks", `the running host does not call ${named(fresh)}: allowed after it started`, ADVICE_RESTART);
  }
  const revoked = hooks.filter(({ state }) => state === "still-called");
  if (revoked.length > 0) {
    yield warn("hooks", `the running host still calls ${named(revoked)}: not allowed any more`, ADVICE_RESTART);
  }
  const odd = hooks.filter(({ state }) => state === "unknown-event" || state === "not-runnable");
  if (odd.length > 0) yield warn("hooks", `${odd.length} can never run`, "talaria hooks list tells why");
  const isWell = hooks.every(({ state }) => state === "allowed");
  if (isWell) yield ok("hooks", `${hooks.length} allowed, none fails`);
}

const ADVICE_BROKEN = "talaria hooks test EVENT tries it out; talaria logs --level warn tells more";
const ADVICE_LEAVE = "talaria hooks list shows them; talaria hooks allow NAME lets one run";

const ADVICE_RESTART = "talaria host restart";

function named(hooks: readonly ReviewedHook[]): string {
  const names = hooks.slice(0, HOOKS_NAMED).map(({ name }) => name);
  return hooks.length > HOOKS_NAMED ? `${names.join(", ")} and ${hooks.length - HOOKS_NAMED} more` : names.join(", ");
}

function brokenText({ name, error, dead, refusesCalls }: ReviewedHook): string {
  const words = (error ?? "").slice(0, ERROR_CHARS_SHOWN).toWellFormed();
  if (refusesCalls) return `${name} fails, so every call that it guards is refused: ${words}`;
  return dead > 0 ? `${name} was given up on ${dead} times: ${words}` : `${name} fails: ${words}`;
}

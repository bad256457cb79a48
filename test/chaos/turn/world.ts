/** What is said in a life and what the model answers: a pure function of the request, so that a kill changes nothing of it. */
import type { Reply, ScriptFunction } from "../../support/model-server/reply.js";
import { lastUserText, sinceUser } from "../../support/model-server/seen.js";

/** `calls`: three calls, one of each effect. `ask`: a call that a person is asked about. `long`: fills the window. */
export type Errand = "calls" | "ask" | "long";

export interface Said {
  readonly errand: Errand;
  /** Of its life, from 1. */
  readonly no: number;
}

const LONG = "lorem ipsum dolor sit amet ".repeat(120).trim();

/** A window that four long errands fill. */
export const WORLD_ENVIRONMENT = {
  TALARIA_MODEL_PROVIDER: "openai",
  TALARIA_MODEL_CONTEXT_TOKENS: "9000",
  TALARIA_MODEL_OUTPUT_TOKENS_MAX: "500",
};

export function textOf({ errand, no }: Said): string {
  return errand === "long" ? `${errand} ${no}. ${LONG}` : `${errand} ${no}.`;
}

export function answerTo({ errand, no }: Said): string {
  return errand === "long" ? `Noted ${no}. ${LONG}` : `Done ${no}.`;
}

/** How a line of the log of effects names an errand. */
export const EFFECTS = "effects.log";

export const worldScript: ScriptFunction = (seen) => {
  if (seen.system.includes("memory of a conversation")) return { text: "## Done\nwhat was asked so far" };
  const said = [...lastUserText(seen.items).matchAll(/\b(calls|ask|long) (\d+)\./g)].at(-1);
  if (said === undefined) return { fault: { kind: "status", status: 400, message: "nobody said that" } };
  const asked = { errand: said[1] as Errand, no: Number(said[2]) };
  const hasWorked = sinceUser(seen.items).some(({ kind }) => kind === "result");
  return hasWorked || asked.errand === "long" ? { text: answerTo(asked) } : working(asked);
};

function working({ errand, no }: Said): Reply {
  const paid = `echo ${no} >> ${EFFECTS}`;
  if (errand === "ask") return { calls: [{ name: "terminal", arguments: { command: `${paid}; rm -rf ./old` } }] };
  return {
    text: "Working.",
    calls: [
      { name: "read_file", arguments: { path: "notes.txt" } },
      { name: "write_file", arguments: { path: `out-${no}.txt`, content: `${no}` } },
      { name: "terminal", arguments: { command: paid } },
    ],
  };
}

const EVERYWHERE = [
  "host.locked",
  "store.mid-admit",
  "run.before-claim",
  "turn.claimed",
  "recover.taken-over",
  "step.request-sent",
  "step.mid-stream",
  "step.before-record",
  "turn.before-settle",
  "store.mid-settle",
  "turn.settled",
  "store.before-commit:2",
  "store.after-commit:3",
  "store.before-commit:5",
] as const;
const IN_CALLS = [
  "step.recorded",
  "call.started:1",
  "call.started:2",
  "call.started:3",
  "call.effect-done:2",
  "call.effect-done:3",
  "call.finished:1",
  "call.finished:2",
  "call.finished:3",
  "step.request-sent:2",
  "step.mid-stream:2",
  "store.before-commit:8",
  "store.after-commit:9",
] as const;

/** Where a process that runs such an errand can be killed by name. */
export const POINTS: Readonly<Record<Errand, readonly [string, ...string[]]>> = {
  calls: [...EVERYWHERE, ...IN_CALLS],
  ask: [...EVERYWHERE, "approval.asked", "approval.decided", "call.started", "call.effect-done", "call.finished"],
  long: [...EVERYWHERE, "compact.summary-ready", "store.mid-rotate", "compact.rotated"],
};

/**
 * Which reply of a list answers a request: a pure function of the request, never of a counter, so that a request
 * repeated after a kill gets the answer it got before.
 *
 * The first reply whose `when` holds wins. Otherwise the replies without `when` are the steps of every turn: the
 * first answers the person, the next the first round of results, and so on; the last one answers all that follow.
 */
import type { Reply, RuledReply, Script, ScriptFunction, When } from "./reply.js";
import { lastUserText, type SeenRequest, sinceUser } from "./seen.js";

export function scriptFunction(script: Script): ScriptFunction {
  if (typeof script === "function") return script;
  if (isList(script)) return (seen) => pick(script, seen);
  return () => script;
}

/** Replies by the number of the request; the last one answers all that follow. */
export function inOrder(...replies: readonly Reply[]): ScriptFunction {
  return (_seen, index) => replies[Math.min(index, replies.length - 1)] ?? NO_REPLY;
}

/** A script as a file holds it. Rejects anything but a reply or a list of replies. */
export function parseScript(text: string): readonly RuledReply[] {
  const value: unknown = JSON.parse(text);
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.some((one) => typeof one !== "object" || one === null)) {
    throw new Error("a script is a reply or a list of replies");
  }
  return list as RuledReply[];
}

export function isList(script: Script): script is readonly RuledReply[] {
  return Array.isArray(script);
}

const NO_REPLY: Reply = { fault: { kind: "status", status: 400, message: "no reply of the script matches" } };

function pick(replies: readonly RuledReply[], seen: SeenRequest): Reply {
  const ruled = replies.find(({ when }) => when !== undefined && holds(when, seen));
  if (ruled !== undefined) return ruled;
  const steps = replies.filter(({ when }) => when === undefined);
  return steps[Math.min(stepsSinceUser(seen), steps.length - 1)] ?? NO_REPLY;
}

function holds(when: When, seen: SeenRequest): boolean {
  const { last, user, system, results, steps, model, tools } = when;
  return (
    (last === undefined || (seen.items.at(-1)?.text ?? "").includes(last)) &&
    (user === undefined || lastUserText(seen.items).includes(user)) &&
    (system === undefined || seen.system.includes(system)) &&
    (results === undefined || sinceUser(seen.items).filter(({ kind }) => kind === "result").length === results) &&
    (steps === undefined || stepsSinceUser(seen) === steps) &&
    (model === undefined || seen.model === model) &&
    (tools === undefined || seen.tools.length > 0 === tools)
  );
}

/** Rounds of the model, not items: a dialect may write one answer with three calls as four items. */
function stepsSinceUser(seen: SeenRequest): number {
  const items = sinceUser(seen.items);
  return items.filter(({ kind }, at) => kind === "assistant" && items[at - 1]?.kind !== "assistant").length;
}

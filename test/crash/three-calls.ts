/**
 * The life most tests take: one message, one step with three calls (one of each effect), one answer. `judge` names
 * every way in which a life that was cut differs from one that was not.
 */
import type { RuledReply } from "../support/model-server/reply.js";
import { type Card, Life, type StoredMessage } from "./life.js";

export const ANSWER = "All done: milk and eggs.";
export const UNKNOWN = /outcome is unknown/;

export const THREE_CALLS: readonly RuledReply[] = [
  { when: { user: "and then" }, text: "Then we rest." },
  {
    text: "Working.",
    calls: [
      { name: "read_file", arguments: { path: "notes.txt" } },
      { name: "write_file", arguments: { path: "out.txt", content: "milk" } },
      { name: "terminal", arguments: { command: "echo paid >> effects.log" } },
    ],
  },
  { text: ANSWER },
];

export interface Killed {
  readonly life: Life;
  readonly id: string;
}

/** Says `do it`; the host is killed at the point, and the command gives up. */
export async function killedAt(life: Life, point: string): Promise<Killed> {
  const run = await life.run(["chat", "-q", "do it"], point);
  if (run.signal !== "SIGKILL") throw new Error(`${point} was never reached (exit ${run.code}): ${run.stderr}`);
  return { life, id: Life.idIn(run) };
}

/** Every difference from the undisturbed run, in words; none when all is well. */
export function judge(card: Card, life: Life): readonly string[] {
  const wrong: string[] = [];
  const turn = card.messages.filter(
    ({ text, role }) => !(role === "user" && text.startsWith("and then")) && text !== "Then we rest.",
  );
  const roles = turn.map(({ role }) => role).join(" ");
  if (roles !== "user assistant tool tool tool assistant") wrong.push(`the transcript is: ${roles}`);
  if (turn.filter(({ role, text }) => role === "user" && text === "do it").length !== 1)
    wrong.push("the user message is not there once");
  if (turn.at(-1)?.text !== ANSWER) wrong.push(`the answer is: ${turn.at(-1)?.text}`);
  if (card.session.liveTurn !== null) wrong.push("a turn is still open");
  wrong.push(...judgeCalls(turn), ...judgeEffects(turn, life));
  return wrong;
}

/** Every call has one result, in the order it was asked for [FQ-3]. */
function judgeCalls(turn: readonly StoredMessage[]): readonly string[] {
  const asked = turn
    .flatMap(({ body }) => (body?.["toolCalls"] as { id: string }[] | undefined) ?? [])
    .map(({ id }) => id);
  const answered = turn.filter(({ role }) => role === "tool").map(({ body }) => body?.["toolCallId"]);
  return JSON.stringify(asked) === JSON.stringify(answered) ? [] : [`calls ${asked} are answered by ${answered}`];
}

function judgeEffects(turn: readonly StoredMessage[], life: Life): readonly string[] {
  const wrong: string[] = [];
  const result = (tool: string): string =>
    turn.find(({ body, role }) => role === "tool" && body?.["toolName"] === tool)?.text ?? "";
  const paid = life.lines("effects.log").length;
  if (paid > 1) wrong.push(`the at-most-once effect happened ${paid} times`);
  if (paid === 0 && !UNKNOWN.test(result("terminal")))
    wrong.push("the at-most-once effect never happened and its result does not say so");
  if (life.lines("out.txt").join() !== "milk") wrong.push("the idempotent effect is missing");
  if (!result("read_file").includes("milk and eggs")) wrong.push("the read-only result is missing");
  return wrong;
}

/** A conversation that outgrows its window within one process, line by line. */
import type { Run } from "../../cli/support/run.js";
import type { RuledReply } from "../../support/model-server/reply.js";
import { type Card, Life } from "../life.js";
import { defineScenario, ending, type Scenario } from "../scenario.js";

const LONG = "lorem ipsum dolor sit amet ".repeat(120);
const SUMMARY = "## Exact names\nthe secret word is heron";
const SUMMARY_SYSTEM = "memory of a conversation";
/** Small enough that these lines fill it once. */
const ENVIRONMENT = {
  TALARIA_MODEL_PROVIDER: "openai",
  TALARIA_MODEL_CONTEXT_TOKENS: "9000",
  TALARIA_MODEL_OUTPUT_TOKENS_MAX: "500",
};
const QUESTIONS = ["The secret word is heron.", ...[1, 2, 3].map((no) => `Question ${no}.`)];
const LINES = QUESTIONS.map((question) => `${question} ${LONG}\n`).join("");

const scriptWith = (summary: string): readonly RuledReply[] => [
  { when: { system: SUMMARY_SYSTEM }, text: summary },
  { text: `Noted. ${LONG}` },
];

const summaries = (life: Life): number =>
  life.server.exchanges.filter(({ seen }) => seen.system.includes(SUMMARY_SYSTEM)).length;

/** Says all lines; a process that is killed on the way is followed by one that says the rest. */
async function sayAll(life: Life, point?: string): Promise<{ readonly id: string; readonly cut?: Run }> {
  const first = await life.run(["chat"], point, LINES);
  const id = Life.idIn(first);
  if (point === undefined) {
    if (first.code !== 0) throw new Error(ending(first));
    return { id };
  }
  if (first.signal !== "SIGKILL") throw new Error(`${point} was never reached; ${ending(first)}`);
  return { id, cut: first };
}

/** Every question is said once, whatever was carried along. */
function unsaid({ messages }: Card): readonly string[] {
  const said = messages
    .filter(({ role, carried }) => role === "user" && !carried)
    .map(({ text }) => text.split(" lorem")[0]);
  return QUESTIONS.filter((question) => said.filter((one) => one === question).length !== 1);
}

export const compacted = defineScenario({
  name: "a conversation that outgrows its window",
  script: scriptWith(SUMMARY),
  environment: ENVIRONMENT,
  async act(life, complain) {
    const { id } = await sayAll(life);
    const card = await life.card(id);
    complain(
      card.session.sessions.length === 2,
      `it has ${card.session.sessions.length} sessions after one compaction`,
    );
    complain(summaries(life) === 1, `${summaries(life)} summaries were made of one range`);
    complain(unsaid(card).length === 0, `not there once: ${unsaid(card)}`);
    const asked = life.server.exchanges.filter(({ seen }) => seen.tools.length > 0);
    const mute = QUESTIONS.filter((question, at) => !JSON.stringify(asked[at]?.seen.items).includes(question));
    complain(mute.length === 0, `the model was not told what it was asked: ${mute}`);
    complain(life.lastRequest().includes("heron"), "the summary does not reach the model");
  },
});

export function killedCompaction(point: string, side: "parent" | "child"): Scenario {
  return defineScenario({
    name: `a compaction killed at ${point}`,
    script: scriptWith(SUMMARY),
    environment: ENVIRONMENT,
    async act(life, complain) {
      const { id } = await sayAll(life, point);
      const made = summaries(life);
      const resumed = await life.run(["chat", "-r", id]);
      complain(resumed.code === 0, ending(resumed));
      const card = await life.card(id);
      complain(
        card.session.sessions.length === 2,
        `it has ${card.session.sessions.length} sessions after one compaction`,
      );
      const again = summaries(life) - made;
      complain(again === (side === "parent" ? 1 : 0), `${again} summaries were made by the next start`);
      const words = card.messages.filter(({ role, carried }) => role === "user" && !carried).map(({ text }) => text);
      complain(new Set(words).size === words.length, "something said is there twice");
    },
  });
}

/** The summary is longer than what it stands for. */
export const longSummary = defineScenario({
  name: "a summary that is longer than what it sums up",
  script: scriptWith(`${SUMMARY} ${LONG.repeat(6)}`),
  environment: ENVIRONMENT,
  async act(life, complain) {
    const { id } = await sayAll(life);
    const { sessions } = (await life.card(id)).session;
    complain(sessions.length === 1, `what made the context larger was committed: ${sessions.length} sessions`);
  },
});

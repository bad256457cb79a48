/** Turns with three calls, killed at a named point and finished by the next start. */
import { Life } from "../life.js";
import { defineScenario, ending, killedRun, type Scenario } from "../scenario.js";
import { ANSWER, judge, THREE_CALLS, UNKNOWN } from "../three-calls.js";

/** `requestsMax`: how often a model may have been asked in all, where the point says it. */
export function killedTurn(point: string, requestsMax = Number.POSITIVE_INFINITY): Scenario {
  return defineScenario({
    name: `a turn killed at ${point}`,
    script: THREE_CALLS,
    async act(life, complain) {
      const cut = await killedRun(life, ["chat", "-q", "do it"], point);
      complain(cut.stdout === "", `an answer was printed before it was stored: ${cut.stdout}`);
      const id = Life.idIn(cut);
      const resumed = await life.run(["chat", "-r", id]);
      complain(resumed.code === 0, ending(resumed));
      complain(resumed.stdout.includes(ANSWER), "the next start does not print the answer");
      const card = await life.card(id);
      for (const wrong of judge(card, life)) complain(false, wrong);
      const isUnknown = card.messages.some(({ text }) => UNKNOWN.test(text));
      complain(!isUnknown || /unknown/.test(resumed.stderr), "the person is not told of the unknown outcome");
      complain(!isUnknown || UNKNOWN.test(life.lastRequest()), "the model is not told of the unknown outcome");
      const asked = life.server.count;
      complain(asked <= requestsMax, `the model was asked ${asked} times, ${requestsMax} would do`);
    },
  });
}

export const killedThreeTimes = defineScenario({
  name: "a turn that ends the program three times",
  script: THREE_CALLS,
  async act(life, complain) {
    const id = Life.idIn(await killedRun(life, ["chat", "-q", "do it"], "step.request-sent"));
    for (let death = 0; death < 2; death++) await killedRun(life, ["chat", "-r", id], "step.request-sent");
    const told = await life.run(["chat", "-r", id]);
    complain(/set aside/.test(told.stderr), `it is not set aside: ${told.stdout}${told.stderr}`);
  },
});

export const saidAfterKill = defineScenario({
  name: "something said to a conversation whose turn was killed",
  script: THREE_CALLS,
  async act(life, complain) {
    const id = Life.idIn(await killedRun(life, ["chat", "-q", "do it"], "step.recorded"));
    const resumed = await life.run(["chat", "-r", id, "-q", "and then?"]);
    complain(resumed.stdout === "Then we rest.\n", `the answer is: ${resumed.stdout}${resumed.stderr}`);
    const card = await life.card(id);
    for (const wrong of judge(card, life)) complain(false, wrong);
    const last = card.messages.slice(-2).map(({ text }) => text);
    complain(last.join(" / ") === "and then? / Then we rest.", `the last words are: ${last.join(" / ")}`);
  },
});

/** A message id that comes twice, as from somebody who saw no answer. */
export const sameMessageTwice = defineScenario({
  name: "the same message id twice",
  script: [{ text: "Once." }],
  async act(life, complain) {
    const say = ["chat", "-q", "hello", "--message-id", "m-1"];
    const cut = await killedRun(life, say, "turn.settled");
    const again = await life.run(say);
    complain(again.code === 0, ending(again));
    const { messages } = await life.card(Life.idIn(cut));
    complain(messages.length === 2, `it is in history ${messages.length / 2} times`);
    complain(life.server.count === 1, `it was answered ${life.server.count} times`);
    complain(Life.idIn(again) === Life.idIn(cut), "it began a second conversation");
  },
});

/** What comes over the wire and what goes out: cut answers, broken arguments, refusals without end, secrets, limits. */
import { inOrder } from "../../support/model-server/rules.js";
import { Life } from "../life.js";
import { defineScenario, ending } from "../scenario.js";

const WHOLE = "The answer is forty-two, and this sentence has an end.";

export const cutAnswer = defineScenario({
  name: "an answer whose stream is cut once",
  script: inOrder({ text: WHOLE, fault: { kind: "cut", atByte: 900, how: "eof" } }, { text: WHOLE }),
  async act(life, complain) {
    const run = await life.run(["chat", "-q", "say it"]);
    complain(run.code === 0, ending(run));
    complain(run.stdout === `${WHOLE}\n`, `half an answer is printed: ${run.stdout}`);
    const { messages } = await life.card(Life.idIn(run));
    const said = messages.map(({ text }) => text).join(" / ");
    complain(said === `say it / ${WHOLE}`, `the transcript is: ${said}`);
  },
});

export const brokenArguments = defineScenario({
  name: "a call whose arguments are no JSON",
  script: [{ calls: [{ name: "todo", arguments: '{"items":[{"id":"1"' }] }, { text: "I see." }],
  async act(life, complain) {
    const run = await life.run(["chat", "-q", "plan it"]);
    complain(run.code === 0, ending(run));
    const { messages } = await life.card(Life.idIn(run));
    const result = messages.find(({ role }) => role === "tool");
    complain(result?.body?.["outcome"] === "error", `arguments that nobody sent were run: ${result?.text}`);
  },
});

const RETRIES = 1;

export const refusedForEver = defineScenario({
  name: "a provider that refuses every time",
  script: { fault: { kind: "status", status: 503, retryAfter: "0" } },
  environment: { TALARIA_AGENT_RETRIES_MAX: String(RETRIES) },
  async act(life, complain) {
    const run = await life.run(["chat", "-q", "anybody there?"]);
    complain(run.code === 1, ending(run));
    complain(
      life.server.count <= 1 + RETRIES,
      `it was asked ${life.server.count} times, with ${RETRIES} retry allowed`,
    );
    const { session } = await life.card(Life.idIn(run));
    complain(session.liveTurn === null, "a turn is still open");
  },
});

const SECRET = "sk-live-0123456789abcdefghijklmnop";

export const secretSaid = defineScenario({
  name: "a secret that is said and read",
  script: [{ calls: [{ name: "terminal", arguments: { command: "cat key.txt" } }] }, { text: "Noted." }],
  async act(life, complain) {
    life.write("key.txt", `${SECRET}\n`);
    const run = await life.run(["chat", "-q", `my key is ${SECRET}, look at key.txt`]);
    complain(run.code === 0, ending(run));
    const leaks = life.server.exchanges.filter(({ seen }) => seen.raw.includes(SECRET)).length;
    complain(leaks === 0, `the secret was sent to the provider in ${leaks} requests`);
    complain(!(run.stdout + run.stderr).includes(SECRET), "the secret is on the screen");
    const { messages } = await life.card(Life.idIn(run));
    complain(messages[0]?.text.includes(SECRET) === true, "what was stored is not what was said");
  },
});

export const dayBudget = defineScenario({
  name: "a day whose budget is used up",
  script: [{ text: "Fine.", usage: { inputTokens: 90, outputTokens: 20 } }],
  environment: { TALARIA_BUDGET_DAY_TOKENS: "100" },
  async act(life, complain) {
    const first = await life.run(["chat", "-q", "one"]);
    complain(first.code === 0, ending(first));
    const second = await life.run(["chat", "-q", "two"]);
    complain(/budget/.test(second.stderr), `nobody is told of the budget; ${ending(second)}`);
    complain(life.server.count === 1, `${life.server.count} requests were paid for, the budget was used up after one`);
  },
});

export const personTitle = defineScenario({
  name: "a title that a person gave",
  script: [{ when: { tools: false }, text: "A title by the model" }, { text: "Hello." }],
  environment: { TALARIA_TITLES_AUTO: "true" },
  async act(life, complain) {
    const run = await life.run(["chat", "-q", "hello", "--title", "my own title"]);
    const { title } = (await life.card(Life.idIn(run))).session;
    complain(title === "my own title", `the title is: ${title}`);
  },
});

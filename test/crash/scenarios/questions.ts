/** Questions to a person: parked, answered, killed on the way. */

import { stopHost } from "../../support/hosts.js";
import type { RuledReply } from "../../support/model-server/reply.js";
import { Life } from "../life.js";
import { type Complain, defineScenario, ending, killedRun } from "../scenario.js";

/** A recursive delete is asked about; what stands before it counts how often it ran. */
const risky = (name: string) => ({
  name: "terminal",
  arguments: { command: `echo ${name} >> fired.log; rm -rf ./old` },
});
const ONE: readonly RuledReply[] = [{ calls: [risky("fired")] }, { text: "It is gone." }];

/** Asked, and the host that asked is gone. */
async function park(life: Life): Promise<string> {
  const run = await life.run(["chat", "-q", "clean up"]);
  if (run.code !== 6) throw new Error(`nobody was asked; ${ending(run)}`);
  await stopHost(life.home);
  return Life.idIn(run);
}

async function judgeDenied(life: Life, id: string, complain: Complain): Promise<void> {
  const fired = life.lines("fired.log").length;
  complain(fired === 0, `what was denied ran ${fired} times`);
  const { messages, session } = await life.card(id);
  const result = messages.find(({ role }) => role === "tool")?.body?.["outcome"];
  complain(result === "denied", `the result of what was denied is: ${result}`);
  complain(session.liveTurn === null, "a turn is still open");
}

export const denied = defineScenario({
  name: "a question that is denied",
  script: ONE,
  async act(life, complain) {
    const id = await park(life);
    const run = await life.run(["chat", "-r", id, "--deny"]);
    complain(run.code === 0, ending(run));
    await judgeDenied(life, id, complain);
  },
});

export const deniedThenAllowed = defineScenario({
  name: "a question that is denied, killed, and allowed by somebody else",
  script: ONE,
  async act(life, complain) {
    const id = await park(life);
    await killedRun(life, ["chat", "-r", id, "--deny"], "approval.decided");
    const run = await life.run(["chat", "-r", id, "--approve", "once"]);
    complain(run.code === 0, ending(run));
    await judgeDenied(life, id, complain);
  },
});

export const allowedAndKilled = defineScenario({
  name: "a question that is allowed, its effect done, and killed",
  script: ONE,
  async act(life, complain) {
    const id = await park(life);
    await killedRun(life, ["chat", "-r", id, "--approve", "once"], "call.effect-done");
    const run = await life.run(["chat", "-r", id]);
    complain(run.code === 0, ending(run));
    const fired = life.lines("fired.log").length;
    complain(fired === 1, `what was allowed once ran ${fired} times`);
  },
});

/** Two deletes in one step: the leave for one is not a leave for the other. */
export const oneOfTwoAllowed = defineScenario({
  name: "two questions of one step, the first allowed and killed",
  script: [{ calls: [risky("first"), risky("second")] }, { text: "Both are gone." }],
  async act(life, complain) {
    const id = await park(life);
    await killedRun(life, ["chat", "-r", id, "--approve", "once"], "approval.decided");
    const run = await life.run(["chat", "-r", id]);
    complain(run.code === 6, `the second was not asked about; ${ending(run)}`);
    complain(life.lines("fired.log").join() === "first", `what ran is: ${life.lines("fired.log")}`);
  },
});

/** The same kind of delete in two steps of a turn. */
export const onceIsOnce = defineScenario({
  name: "a leave for once, and the same again",
  script: [{ calls: [risky("first")] }, { calls: [risky("second")] }, { text: "Both are gone." }],
  async act(life, complain) {
    const id = await park(life);
    const run = await life.run(["chat", "-r", id, "--approve", "once"]);
    complain(run.code === 6, `the second was not asked about; ${ending(run)}`);
    complain(life.lines("fired.log").join() === "first", `what ran is: ${life.lines("fired.log")}`);
  },
});

/** Every answer is given by a process of its own; only one of them dies. */
export const answeredOftenKilledOnce = defineScenario({
  name: "two questions answered one after the other, and one kill",
  script: [{ calls: [risky("first")] }, { calls: [risky("second")] }, { text: "Both are gone." }],
  async act(life, complain) {
    const id = await park(life);
    const first = await life.run(["chat", "-r", id, "--approve", "once"]);
    complain(first.code === 6, ending(first));
    await stopHost(life.home);
    await killedRun(life, ["chat", "-r", id, "--approve", "once"], "approval.decided");
    const run = await life.run(["chat", "-r", id]);
    complain(run.stdout === "Both are gone.\n", `it was not brought to its end; ${ending(run)}`);
    complain(life.lines("fired.log").join() === "first,second", `what ran is: ${life.lines("fired.log")}`);
  },
});

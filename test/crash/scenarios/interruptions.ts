/** Turns that a person or a signal ends in mid-stream or in mid-command. */
import { setTimeout as sleep } from "node:timers/promises";
import { finished } from "../../cli/support/run.js";
import type { RuledReply } from "../../support/model-server/reply.js";
import { inOrder } from "../../support/model-server/rules.js";
import { Life } from "../life.js";
import { type Complain, defineScenario, ending, heard, roles, type Scenario, shownText } from "../scenario.js";

/** Twenty words a second. */
const WORD_MS = 50;
const WORD_CHARS = 7;
export const WORDS = Array.from({ length: 200 }, (_, at) => `word${at} `).join("");
/** Slow the first time it is asked, at once after that. */
export const SLOW = inOrder({ text: WORDS, pieceChars: WORD_CHARS, chunkDelayMs: WORD_MS }, { text: WORDS });
/** What a second of the stream is, and as much again for a machine that is late. */
export const LOST_CHARS_MAX = (2 * WORD_CHARS * 1_000) / WORD_MS;
/** Streamed for longer than may be lost. */
export const ENOUGH = "word45";
/** The first time it is asked it says enough, and goes on when the test lets it; at once after that. */
export const HELD = inOrder({ text: WORDS, pieceChars: WORD_CHARS, holdAfter: 60 }, { text: WORDS });
/** A second, and whatever a slow machine needs: a draft that is not stored by then never is. */
const STORED_MS_MAX = 15_000;
const LOOK_MS = 50;

export const hasShown =
  (words: string) =>
  (stdout: string): boolean =>
    shownText(stdout).includes(words);

export const interruptedAnswer = defineScenario({
  name: "an answer that Ctrl-C interrupts",
  script: SLOW,
  async act(life, complain) {
    const child = life.start(["chat", "-q", "tell me", "--stream-json"]);
    const ended = finished(child);
    const id = Life.idOf(await heard(child, hasShown("word6")));
    child.kill("SIGINT");
    const run = await ended;
    complain(run.code === 130, ending(run));
    const shown = shownText(run.stdout);
    const card = await life.card(id);
    complain(roles(card) === "user assistant note", `the transcript is: ${roles(card)}`);
    const [, said, note] = card.messages;
    complain(said?.text.startsWith(shown) === true, `shown and not stored: ${shown.slice(said?.text.length ?? 0)}`);
    complain(said?.body?.["interrupted"] === true, "the answer is not marked as cut");
    complain(note?.body?.["outcome"] === "interrupted-by-user", `the note says: ${note?.text}`);
    const asked = life.server.count;
    const again = await life.run(["chat", "-r", id]);
    complain(life.server.count === asked, "an interrupted turn was continued unasked");
    complain(/cut here by an interruption/.test(again.stderr), "the next start does not show the interruption");
  },
});

/** The command tells its group, then stays. */
const LASTING: readonly RuledReply[] = [
  { calls: [{ name: "terminal", arguments: { command: "echo $$ > pid; echo paid >> effects.log; sleep 30" } }] },
  { text: "It is over." },
];

export const interruptedCommand = defineScenario({
  name: "a command that Ctrl-C interrupts",
  script: LASTING,
  async act(life, complain) {
    const child = life.start(["chat", "-q", "go", "--stream-json"]);
    const ended = finished(child);
    const id = Life.idOf(await heard(child, (stdout) => stdout.includes('"call-started"')));
    await life.appears("effects.log");
    child.kill("SIGINT");
    const run = await ended;
    complain(run.code === 130, ending(run));
    const card = await life.card(id);
    complain(roles(card) === "user assistant tool note", `the transcript is: ${roles(card)}`);
    complain(!(await life.outlives(Number(life.lines("pid")[0]))), "the command outlives its turn");
  },
});

/** Deaf to the polite signal, so that the interrupt is over before it is. */
export const stubbornCommand = defineScenario({
  name: "a command that does not hear Ctrl-C",
  script: [
    { calls: [{ name: "terminal", arguments: { command: "trap '' TERM INT; echo paid >> effects.log; sleep 30" } }] },
    { text: "It is over." },
  ],
  async act(life, complain) {
    const child = life.start(["chat", "-q", "go"]);
    const ended = finished(child);
    await life.appears("effects.log");
    child.kill("SIGINT");
    const run = await ended;
    complain(run.code === 130, ending(run));
    const result = (await life.card(Life.idIn(run))).messages.find(({ role }) => role === "tool");
    complain(result?.body?.["outcome"] === "unknown", `it may have worked, and its result says: ${result?.text}`);
  },
});

/** The polite signals end a host as the other one does, only in order: what matters is stored. */
export type Deadly = "SIGTERM" | "SIGHUP" | "SIGKILL";

export function killedCommand(signal: Deadly): Scenario {
  return defineScenario({
    name: `a command whose host is ended by ${signal}`,
    script: LASTING,
    async act(life, complain) {
      const child = life.start(["chat", "-q", "go"]);
      const ended = finished(child);
      await life.appears("effects.log");
      const pid = Number(life.lines("pid")[0]);
      life.signalHost(signal);
      complain(!(await life.outlives(pid)), "the command outlives its host");
      // Whoever waited for it starts the next host and hears the end.
      const run = await ended;
      complain(run.stdout === "It is over.\n", ending(run));
      const resumed = await life.run(["chat", "-r", Life.idIn(run)]);
      complain(resumed.stdout === "It is over.\n", ending(resumed));
      complain(life.lines("effects.log").length === 1, "the command ran again");
    },
  });
}

export function killedAnswer(signal: Deadly): Scenario {
  return defineScenario({
    name: `an answer whose host is ended by ${signal}`,
    script: HELD,
    async act(life, complain) {
      const child = life.start(["chat", "-q", "tell me", "--stream-json"]);
      const ended = finished(child);
      const id = Life.idOf(await heard(child, hasShown(ENOUGH)));
      await untilStored(life);
      life.faults.plan("dead");
      life.signalHost(signal);
      judgeDraft(life, shownText((await ended).stdout), complain);
      life.faults.plan();
      await judgeResumed(life, id, complain);
    },
  });
}

/** While the answer is still being given; what was not stored in time is told by whoever judges. */
export async function untilStored(life: Life): Promise<void> {
  for (let waited = 0; waited < STORED_MS_MAX && !life.liveDraft().includes(ENOUGH); waited += LOOK_MS) {
    await sleep(LOOK_MS);
  }
}

/** What is stored of an answer that was cut is its beginning, but for a second. */
export function judgeDraft(life: Life, shown: string, complain: Complain): void {
  const draft = life.draft();
  const lost = shown.length - draft.length;
  complain(lost <= LOST_CHARS_MAX, `${lost} characters of ${shown.length} that were shown are not stored`);
  complain(WORDS.startsWith(draft), `what is stored was never said: ${draft}`);
}

/** The next start brings the answer to its end, and nothing is there twice. */
export async function judgeResumed(life: Life, id: string, complain: Complain): Promise<void> {
  const resumed = await life.run(["chat", "-r", id]);
  complain(resumed.stdout.trim() === WORDS.trim(), ending(resumed));
  const { messages, session } = await life.card(id);
  const said = messages.map(({ role, text }) => `${role}: ${text.trim()}`);
  complain(said.join() === `user: tell me,assistant: ${WORDS.trim()}`, `the transcript is: ${said}`);
  complain(session.liveTurn === null, "a turn is still open");
}

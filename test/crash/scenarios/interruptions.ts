/** Turns that a person or a signal ends in mid-stream or in mid-command. */
import { finished } from "../../cli/support/run.js";
import type { RuledReply } from "../../support/model-server/reply.js";
import { Life } from "../life.js";
import { defineScenario, ending, heard, roles, shownText } from "../scenario.js";

/** Twenty words a second. */
export const WORD_MS = 50;
export const WORDS = Array.from({ length: 200 }, (_, at) => `word${at} `).join("");
export const SLOW: readonly RuledReply[] = [
  { when: { user: "and now" }, text: "Now it is quiet." },
  { text: WORDS, pieceChars: 7, chunkDelayMs: WORD_MS },
];
/** What a second of the stream is, and what a busy machine may add to it. */
export const LOST_CHARS_MAX = 2 * 7 * (1_000 / WORD_MS);

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

export const killedCommand = defineScenario({
  name: "a command whose program is killed",
  script: LASTING,
  async act(life, complain) {
    const child = life.start(["chat", "-q", "go"]);
    const ended = finished(child);
    await life.appears("effects.log");
    child.kill("SIGKILL");
    const id = Life.idIn(await ended);
    complain(!(await life.outlives(Number(life.lines("pid")[0]))), "the command outlives its program");
    const resumed = await life.run(["chat", "-r", id]);
    complain(resumed.stdout === "It is over.\n", ending(resumed));
    complain(life.lines("effects.log").length === 1, "the command ran again");
  },
});

export const killedAnswer = defineScenario({
  name: "an answer whose program is killed",
  script: SLOW,
  async act(life, complain) {
    const child = life.start(["chat", "-q", "tell me", "--stream-json"]);
    const ended = finished(child);
    await heard(child, hasShown("word45"));
    child.kill("SIGKILL");
    const shown = shownText((await ended).stdout);
    const lost = shown.length - life.draft().length;
    complain(lost <= LOST_CHARS_MAX, `${lost} characters of ${shown.length} that were shown are not stored`);
  },
});

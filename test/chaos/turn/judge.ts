/** What a life came to: its transcript, the files it wrote and the rows behind them, against what was said in it. */
import { join } from "node:path";
import { Connection } from "#store/sqlite/connection.js";
import type { Card, Life, StoredMessage } from "../../crash/life.js";
import { copyStore, DATABASE } from "../checker/check.js";
import { findHalves } from "../checker/halves.js";
import { findDamage, findDisorder } from "../checker/order.js";
import type { Violation, ViolationKind } from "../journal.js";
import { answerTo, EFFECTS, type Said, textOf } from "./world.js";

const UNKNOWN = /outcome is unknown/;

type Note = (holds: boolean, kind: ViolationKind, text: string) => void;

export function judgeLife(life: Life, card: Card, said: readonly Said[]): readonly Violation[] {
  const found: Violation[] = [];
  const note: Note = (holds, kind, text) => void (holds || found.push({ kind, text }));
  const own = card.messages.filter(({ carried }) => !carried);
  for (const one of said) judgeErrand(note, own, one);
  for (const one of said) if (one.errand !== "long") judgeEffect(note, life, { own, one });
  const order = own.filter(({ role }) => role === "user").map(({ text }) => text);
  note(order.join() === said.map(textOf).join(), "other", `what was said stands in another order: ${order.map(short)}`);
  note(card.session.liveTurn === null, "wedged", "a turn is still open");
  const tips = card.session.sessions.filter(({ superseded }) => superseded === null);
  note(tips.length === 1 && tips[0]?.id === card.session.tip, "half", `${tips.length} sessions are the tip`);
  judgeCalls(note, own);
  return [...found, ...judgeRows(life)];
}

function judgeErrand(note: Note, own: readonly StoredMessage[], one: Said): void {
  const times = (role: string, words: string): number =>
    own.filter((message) => message.role === role && message.text === words).length;
  const asked = times("user", textOf(one));
  note(asked >= 1, "loss", `${one.errand} ${one.no} was acknowledged and is not in history`);
  note(asked <= 1, "duplicate", `${one.errand} ${one.no} is in history ${asked} times`);
  const answered = times("assistant", answerTo(one));
  note(answered >= 1, "loss", `${one.errand} ${one.no} has no answer`);
  note(answered <= 1, "duplicate", `${one.errand} ${one.no} is answered ${answered} times`);
}

function judgeEffect(note: Note, life: Life, { own, one }: { own: readonly StoredMessage[]; one: Said }): void {
  const { errand, no } = one;
  const paid = life.lines(EFFECTS).filter((line) => line === String(no)).length;
  note(paid <= 1, "repeat", `the at-most-once effect of ${errand} ${no} happened ${paid} times`);
  const from = own.findIndex(({ role, text }) => role === "user" && text === textOf(one));
  const until = own.findIndex(({ role, text }) => role === "assistant" && text === answerTo(one));
  const result = own.slice(from, until).find(({ body }) => body?.["toolName"] === "terminal")?.text ?? "";
  note(
    paid === 1 || UNKNOWN.test(result),
    "loss",
    `the effect of ${errand} ${no} never happened; its result: ${result}`,
  );
  if (errand === "calls")
    note(life.lines(`out-${no}.txt`).join() === String(no), "loss", `the idempotent effect of ${no} is missing`);
}

/** [FQ-3] Every call has one result, in the order it was asked for. */
function judgeCalls(note: Note, own: readonly StoredMessage[]): void {
  const asked = own.flatMap(({ body }) => (body?.["toolCalls"] as { id: string }[] | undefined) ?? []);
  const answered = own.filter(({ role }) => role === "tool").map(({ body }) => body?.["toolCallId"]);
  const isPaired = asked.map(({ id }) => id).join() === answered.join();
  note(isPaired, "half", `${asked.length} calls are answered by ${answered.length} results, or in another order`);
}

function judgeRows(life: Life): readonly Violation[] {
  const copy = join(life.folder, "judged");
  copyStore(life.home, copy);
  const db = new Connection({ path: join(copy, DATABASE) });
  return [...findDamage(db), ...findHalves(db, isForAnyone), ...findDisorder(db, isForAnyone)];
}

/** The store's own writer marks its messages, and it has hooks; a terminal has none. */
function isForAnyone(sql: string): boolean {
  return !sql.includes("$.chaos.") && !sql.includes("hook_delivery");
}

function short(text: string): string {
  return text.slice(0, 12);
}

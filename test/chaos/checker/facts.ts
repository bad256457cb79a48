/**
 * The ledger against the rows. What was acknowledged is there, as it was acknowledged; what was only sent is there
 * once or not at all; nothing is there that nobody sent. A conversation that somebody asked to delete may be gone.
 */
import type { VerbArgs, VerbName, VerbResult } from "#session/store.js";
import type { Entry, Violation } from "../journal.js";
import type { Ledger } from "./ledger.js";
import type { MessageRow, Rows } from "./rows.js";

export interface Look {
  readonly rows: Rows;
  readonly ledger: Ledger;
  loss(text: string): void;
}

/** Checks every acknowledged call. */
export function findLosses(rows: Rows, ledger: Ledger): Violation[] {
  const found: Violation[] = [];
  const look: Look = { rows, ledger, loss: (text) => found.push({ kind: "loss", text }) };
  for (const entry of ledger.acked) {
    (FACTS[entry.verb] as Fact | undefined)?.(look, entry.args as never, entry.value as never, entry);
  }
  return found;
}

type Fact = (look: Look, args: never, value: never, entry: Entry) => void;
type FactTable = { readonly [V in VerbName]?: (look: Look, args: VerbArgs<V>, value: VerbResult<V>) => void };

const FACTS: FactTable = {
  admit(look, { eventId }, value) {
    if (value.kind === "rejected") return;
    const row = look.rows.inputs.get(eventId)?.[0];
    if (row === undefined) return look.loss(`INV-01 event ${eventId} was acknowledged as ${value.kind} and is gone`);
    if (row.id !== value.input || row.conversation !== value.conversation)
      look.loss(`INV-01 event ${eventId} is another input than the one acknowledged`);
  },

  claim(look, _args, value) {
    if (value.kind !== "claimed") return;
    expectTurn(look, value.turn, "claim");
    expectMessage(look, value.turn, value.seq, { role: "user" });
  },

  takeSteers(look, { turn }, value) {
    if (value.kind === "fenced" || isDeleted(look, turn)) return;
    for (const text of value.texts) {
      const token = text.split(" ", 2)[1] ?? "";
      if (!look.rows.said.has(token)) look.loss(`takeSteers: ${token} is not in history`);
    }
  },

  recordStep(look, { turn, text }, value) {
    if (value.kind !== "recorded") return;
    expectMessage(look, turn, value.seq, { role: "assistant", text });
    if (isDeleted(look, turn)) return;
    for (const { id } of value.calls) if (!look.rows.calls.has(id)) look.loss(`recordStep: call ${id} is gone`);
  },

  startCalls(look, { turn, calls }, value) {
    if (value.kind !== "started" || isDeleted(look, turn)) return;
    for (const call of calls) {
      if (look.rows.calls.get(call)?.state === "recorded") look.loss(`startCalls: ${call} was started and is not`);
    }
  },

  finishCall(look, { turn, call, result }, value) {
    if (value.kind !== "finished") return;
    expectMessage(look, turn, value.seq, { role: "tool", text: result.text });
    if (isDeleted(look, turn)) return;
    if (look.rows.calls.get(call)?.state !== "finished") look.loss(`finishCall: ${call} was finished and is not`);
  },

  settle(look, { turn, outcome, final, replies }, value) {
    if (value.kind === "fenced") return;
    const row = expectTurn(look, turn, "settle");
    if (row === undefined) return;
    if (row.state !== "settled") return look.loss(`settle: ${turn} was settled and is ${row.state}`);
    if (value.kind === "already-settled") return;
    if (row.outcome !== outcome) look.loss(`settle: ${turn} is ${row.outcome}, acknowledged as ${outcome}`);
    if (value.seq !== null) expectMessage(look, turn, value.seq, final === undefined ? {} : { text: final.text });
    const wanted = (replies ?? []).reduce((sum, reply) => sum + reply.parts.length, 0);
    const owed = look.ledger.partsOf(look.rows, row.no);
    if (owed < wanted && !isDeleted(look, turn)) look.loss(`settle: ${turn} owes ${owed} of ${wanted} parts`);
  },

  takeOver(look, _args, value) {
    if (value.kind !== "taken") return;
    const row = expectTurn(look, value.turn, "takeOver");
    if (row === undefined) return;
    if (row.attempts < value.attempts)
      look.loss(`takeOver: attempt ${value.attempts} of ${value.turn} was not counted`);
    if (row.epoch < value.epoch) look.loss(`takeOver: epoch ${value.epoch} of ${value.turn} was not kept`);
  },

  reset: (look, _args, value) => value.kind === "reset" && expectConversation(look, value, "reset"),
  branch: (look, _args, value) => value.kind === "branched" && expectConversation(look, value, "branch"),

  rotate(look, { conversation }, value) {
    if (value.kind !== "rotated") return;
    expectConversation(look, { conversation, session: value.session }, "rotate");
    if (look.rows.sessions.get(value.session)?.lineage !== "compaction") look.loss(`rotate: ${value.session} is none`);
  },

  undo(look, { conversation }, value) {
    if (value.kind !== "undone") return;
    const row = look.rows.conversations.get(conversation);
    if (row === undefined) return look.loss(`undo: conversation ${conversation} is gone`);
    if (row.deleted === null && !look.rows.superseded.has(`${row.no}/${value.fromSeq}`))
      look.loss(`undo: what follows ${conversation}/${value.fromSeq} is visible again`);
  },

  remove(look, { conversation }, value) {
    if (value.kind !== "removed") return;
    const row = look.rows.conversations.get(conversation);
    if (row === undefined || row.deleted === null) look.loss(`remove: ${conversation} was deleted and is back`);
  },

  claimDeliveries(look, _args, value) {
    for (const { id, attempts } of value) {
      const row = look.rows.deliveries.get(id);
      if (row === undefined) expectErased(look, id);
      else if (row.attempts < attempts) look.loss(`claimDeliveries: attempt ${attempts} of ${id} was not counted`);
    }
  },

  settleDelivery(look, { id, event }, value) {
    if (value.kind !== "ok" || (event.type !== "sent" && event.type !== "gave-up")) return;
    const row = look.rows.deliveries.get(id);
    if (row === undefined) return expectErased(look, id);
    const isKept = event.type === "sent" ? row.receipt === event.receipt : row.state === "dead";
    if (!isKept) look.loss(`settleDelivery: ${id} was ${event.type} and is ${row.state}`);
  },

  settleHook(look, { key }, value) {
    if (value.kind !== "done") return;
    if (look.rows.hooks.get(key) !== "done") look.loss(`settleHook: ${key} was done and is not`);
  },

  beginHost(look, { id }) {
    if (!look.rows.hosts.has(id) && look.rows.hosts.size < HOSTS_KEPT) look.loss(`beginHost: host ${id} is gone`);
  },
};

/** The store forgets the oldest hosts beyond this many. */
const HOSTS_KEPT = 100;

function expectTurn(look: Look, turn: string, verb: string): ReturnType<Rows["turns"]["get"]> {
  const row = look.rows.turns.get(turn);
  if (row === undefined) look.loss(`${verb}: turn ${turn} is gone`);
  return row;
}

/** [INV-14] [INV-17] The message has its number and its words, for ever. */
function expectMessage(look: Look, turn: string, seq: number, as: Partial<MessageRow>): void {
  const row = look.rows.turns.get(turn);
  const message = look.rows.messages.get(`${row?.conversation}/${seq}`);
  if (row === undefined) look.loss(`message ${seq} of turn ${turn} is gone with its turn`);
  else if (isDeleted(look, turn)) return;
  else if (message === undefined) look.loss(`message ${row.conversation}/${seq} of turn ${turn} is gone`);
  else if (
    message.turn !== row.no ||
    !Object.entries(as).every(([key, value]) => message[key as keyof MessageRow] === value)
  )
    look.loss(`message ${row.conversation}/${seq} is not what was acknowledged`);
}

/** [INV-17] Every id that was shown leads to its conversation. */
function expectConversation(look: Look, shown: { conversation: string; session: string }, verb: string): void {
  const conversation = look.rows.conversations.get(shown.conversation);
  const session = look.rows.sessions.get(shown.session);
  if (conversation === undefined || session?.conversation !== conversation.no)
    look.loss(`${verb}: ${shown.conversation} with session ${shown.session} is gone`);
}

/** Erased with its conversation, which somebody asked for. */
function isDeleted(look: Look, turn: string): boolean {
  const row = look.rows.turns.get(turn);
  const conversation = row && look.rows.byNo.get(row.conversation);
  return conversation !== undefined && conversation.deleted !== null && look.ledger.removalSent.has(conversation.id);
}

function expectErased(look: Look, delivery: string): void {
  if (look.ledger.removalSent.size === 0) look.loss(`delivery ${delivery} is gone`);
}

/** What can be seen of a store through its reading verbs, compared with the model. */
import { isDeepStrictEqual } from "node:util";
import { compareGrants, compareGrantsIn } from "./approvals.js";
import type { Run } from "./run.js";
import { resolveTitle } from "./titles.js";
import type { Conversation } from "./world.js";

export class Difference extends Error {
  override readonly name = "Difference";
}

export function same(actual: unknown, expected: unknown, what: string): undefined {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Difference(`${what}\n  store: ${JSON.stringify(actual)}\n  model: ${JSON.stringify(expected)}`);
}

export function compareConversation(run: Run, conversation: Conversation): undefined {
  const id = conversation.id as never;
  const history = run.sure("history", { conversation: id, afterSeq: 0, limit: 10_000, withSuperseded: true });
  const card = run.sure("show", { conversation: id });
  const queue = run.sure("queue", { conversation: id, limit: 1_000 });
  const tip = run.sure("tipHistory", { conversation: id });
  same(
    queue.map((input) => input.text),
    conversation.queue.map((waiting) => waiting.text),
    "the queue",
  );
  compareGrantsIn(run, conversation);
  compareTurn(run, conversation);
  if (conversation.isDeleted) return same([history, card, tip], [[], null, null], "a tombstone");
  const { world } = run;
  const said = conversation.messages.map(({ asks: _, answers: __, turn: ___, ...message }) => ({
    ...message,
    isSuperseded: world.isHidden(conversation, message.seq),
  }));
  same(
    history.map(({ seq, role, text, session, isCarried, isSuperseded }) => ({
      seq,
      role,
      text,
      session,
      isCarried,
      isSuperseded,
    })),
    said,
    "the history",
  );
  const current = said.filter(({ session, isSuperseded }) => session === world.tip(conversation).id && !isSuperseded);
  same(
    tip !== null && "messages" in tip && tip.messages.map(({ seq }) => seq),
    current.map(({ seq }) => seq),
    "the tip's visible messages",
  );
  if (card === null || !("sessions" in card)) throw new Difference("a conversation is not shown");
  same(
    card.sessions.map((session) => ({
      id: session.id,
      lineage: session.lineage,
      fromSeq: session.fromSeq,
      title: session.title,
      isSuperseded: session.supersededMs !== null,
      openings: session.openings.map(({ platform, reason }) => ({ platform, reason })),
    })),
    conversation.sessions.map((session) => ({
      id: session.id,
      lineage: session.lineage,
      fromSeq: session.fromSeq,
      title: session.title?.title ?? null,
      isSuperseded: session !== world.tip(conversation),
      openings: session.openings.map(({ platform, reason }) => ({ platform, reason })),
    })),
    "the sessions",
  );
  const seen = [
    card.lineage,
    card.parent?.conversation ?? null,
    card.seq,
    card.routes,
    card.liveTurn?.phase,
    card.liveTurn?.attempts,
  ];
  const { lineage, parent, messages, turn } = conversation;
  same(
    seen,
    [lineage, parent?.id ?? null, messages.length, world.routeKeys(conversation), turn?.state, turn?.attempts],
    "the card",
  );
}

/** What recovery would find of it. */
function compareTurn(run: Run, { id, turn, isDeleted }: Conversation): undefined {
  const { nowMs } = run.world;
  const stored = run.sure("openTurns", { conversation: id as never, limit: 10 });
  const open = turn?.calls.filter(({ state }) => state !== "finished") ?? [];
  same(
    stored.map(({ turn, phase, attempts, draft, calls, approvals }) => ({
      turn,
      phase,
      attempts,
      draft,
      calls: calls.map((call) => [call.id, call.phase, call.attempts]),
      approvals,
    })),
    turn === null
      ? []
      : [
          {
            turn: turn.id,
            phase: turn.state,
            attempts: turn.attempts,
            draft: turn.draft === "" ? null : turn.draft,
            calls: open.map((call) => [call.id, call.state, call.attempts]),
            approvals: open.flatMap(({ id: call, approval }) => (approval === null ? [] : [{ ...approval, call }])),
          },
        ],
    "the live turn",
  );
  if (!isDeleted)
    same(run.sure("spentToday", { conversation: id as never, nowMs }), run.world.today(), "what was spent today");
}

export function compareAll(run: Run): undefined {
  const { world } = run;
  for (const conversation of world.conversations) compareConversation(run, conversation);
  for (const withDelegated of [false, true]) {
    const listed = world.conversations.filter(
      ({ isDeleted, isArchived, lineage }) => !isDeleted && !isArchived && (withDelegated || lineage !== "delegation"),
    );
    listed.sort((a, b) => b.activeMs - a.activeMs || b.no - a.no);
    same(
      run.sure("list", { limit: 1_000, withDelegated }).map(({ id }) => id),
      listed.map(({ id }) => id),
      "the list",
    );
  }
  compareGrants(run);
  compareRoutes(run);
  compareTitles(run);
  compareOpenWork(run);
}

function compareRoutes(run: Run): undefined {
  const stored = run.sure("routes", { limit: 1_000 });
  const expected = [...run.world.routes.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  same(
    stored.map(({ key, conversation, usedMs, expiresMs, expiredMs, suspendedReason }) => ({
      key,
      conversation,
      usedMs,
      expiresMs,
      expiredMs,
      suspendedReason,
    })),
    expected.map(({ key, conversation, usedMs, expiresMs, expiredMs, suspendedReason }) => ({
      key,
      conversation: conversation.id,
      usedMs,
      expiresMs,
      expiredMs,
      suspendedReason,
    })),
    "the routes",
  );
}

function compareTitles(run: Run): undefined {
  for (const text of ["plans", "plans #2", "plans #3", "notes", "notes #2"]) {
    const found = run.sure("resolve", { text });
    const expected = resolveTitle(run.world, text)?.id;
    same(found.kind === "found" ? found.conversation : undefined, expected, `what the title "${text}" leads to`);
  }
  for (const conversation of run.world.conversations) {
    const tip = run.world.tip(conversation).id;
    const kind = conversation.isDeleted ? "deleted" : "found";
    for (const text of [conversation.id, ...conversation.sessions.map(({ id }) => id)]) {
      const found = run.sure("resolve", { text });
      same([found.kind, found.kind === "found" ? found.tip : tip], [kind, tip], `what the id ${text} leads to`);
    }
  }
}

function compareOpenWork(run: Run): undefined {
  const { world } = run;
  const open = (rows: readonly { state: string }[]): number => rows.filter((row) => row.state !== "ended").length;
  const { jobs: _, ...counts } = run.sure("stats", {}).open;
  same(
    counts,
    {
      turns: world.conversations.filter(({ turn }) => turn !== null).length,
      inputs: world.conversations.reduce((sum, { queue }) => sum + queue.length, 0),
      deliveries: open(world.deliveries),
      hooks: open(world.hooks),
    },
    "what is open",
  );
}

/** Lists waiting questions and standing grants, and revokes a grant. */

import { UserError } from "#base/errors.js";
import type { ApprovalId, ConversationId } from "#base/ids.js";
import { redact, redactValue } from "#base/redact.js";
import { visible } from "#base/text-width.js";
import { nearest } from "#config/nearest.js";
import type { Grant } from "#session/approval.js";
import type { SessionStore } from "#session/store.js";
import type { Question } from "../chat/glimpse.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { requireSession, shortIdsOf } from "./sessions-find.js";
import { withReader, withWriter } from "./sessions-store.js";

const GRANTS_MAX = 1_000;
const TURNS_LOOKED_AT = 1_000;

interface Waiting {
  readonly conversation: ConversationId;
  readonly approval: ApprovalId;
  readonly question: Question;
  readonly sinceMs: number;
}

export function listApprovals(context: CliContext): Promise<void> {
  return withReader(context, async (store) => {
    const [waiting, grants] = await Promise.all([waitingQuestions(store), store.grants({ limit: GRANTS_MAX })]);
    if (context.out.json) return context.out.document(documentOf(waiting, grants));
    await show(context, store, { waiting, grants });
  });
}

export interface RevokeOptions {
  readonly conversation?: string;
}

export function revokeApproval(context: CliContext, name: string, options: RevokeOptions): Promise<void> {
  return withWriter(context, async (store) => {
    const card = options.conversation === undefined ? undefined : await requireSession(store, options.conversation);
    const at = card === undefined ? {} : { conversation: card.id };
    const { kind } = await store.revokeGrant({ name, ...at, nowMs: context.clock.nowMs() });
    if (kind === "unknown") throw await unknownGrant(store, name, card?.id);
    if (context.out.json) return context.out.document({ revoked: name, conversation: card?.id ?? null });
    context.out.line(`Taken back: ${visible(name)}. The next such call asks.`);
  });
}

async function waitingQuestions(store: SessionStore): Promise<readonly Waiting[]> {
  const turns = await store.openTurns({ limit: TURNS_LOOKED_AT });
  return turns.flatMap(({ conversation, approvals, startedMs }) =>
    approvals
      .filter(({ answer }) => answer === null)
      .map(({ id, question }) => ({
        conversation,
        approval: id,
        question: question as unknown as Question,
        sinceMs: startedMs,
      })),
  );
}

interface Listed {
  readonly waiting: readonly Waiting[];
  readonly grants: readonly Grant[];
}

async function show({ out }: CliContext, store: SessionStore, { waiting, grants }: Listed): Promise<void> {
  const ids = [...waiting, ...grants].flatMap(({ conversation }) => (conversation === null ? [] : [conversation]));
  const shortId = await shortIdsOf(store, [...new Set(ids)]);
  if (waiting.length === 0) out.line("Nothing waits for your answer.");
  else {
    out.table<Waiting>(
      [
        { title: "WAITS", value: ({ conversation }) => shortId(conversation) },
        { title: "FOR", value: ({ question }) => redact(questionText(question)), flexible: true },
        { title: "SINCE", value: ({ sinceMs }) => out.time(sinceMs) },
      ],
      waiting,
    );
    const [first] = waiting;
    if (first !== undefined) {
      const flag = first.question.kind === "permission" ? "--approve once" : "--reply TEXT";
      out.note(`Answer with: talaria chat -r ${shortId(first.conversation)} ${flag}, or --deny`);
    }
  }
  out.line();
  out.table<Grant>(
    [
      { title: "ALLOWED", value: ({ name }) => redact(name), flexible: true },
      { title: "WHERE", value: ({ conversation }) => (conversation === null ? "always" : shortId(conversation)) },
      { title: "SINCE", value: ({ atMs }) => out.time(atMs) },
    ],
    grants,
    "Nothing is allowed beyond a single call.",
  );
}

function questionText(question: Question): string {
  return question.kind === "permission" ? question.summary : question.text;
}

function documentOf(waiting: readonly Waiting[], grants: readonly Grant[]): Readonly<Record<string, unknown>> {
  const iso = (atMs: number): string => new Date(atMs).toISOString();
  return {
    waiting: waiting.map(({ conversation, approval, question, sinceMs }) => ({
      conversation,
      approval,
      question: redactValue(question),
      since: iso(sinceMs),
    })),
    grants: grants.map(({ name, conversation, atMs }) => ({ name, conversation, granted: iso(atMs) })),
  };
}

async function unknownGrant(
  store: SessionStore,
  name: string,
  conversation: ConversationId | undefined,
): Promise<UserError> {
  const grants = await store.grants({ limit: GRANTS_MAX });
  const [shown, where] = [visible(name), conversation === undefined ? "for always" : "in that conversation"];
  const elsewhere = grants.find((grant) => grant.name === name);
  if (elsewhere !== undefined) {
    const flag =
      elsewhere.conversation === null ? "leave --conversation out" : `--conversation ${elsewhere.conversation}`;
    return new UserError(`${shown} is not allowed ${where}`, `it is elsewhere: ${flag}`, EXIT["not-found"]);
  }
  const near = nearest(
    name,
    grants.map((grant) => grant.name),
  );
  const hint = near === undefined ? "talaria approvals shows what is allowed" : `did you mean '${visible(near)}'?`;
  return new UserError(`nothing called ${shown} is allowed ${where}`, hint, EXIT["not-found"]);
}

/**
 * One delivery: put into the platform's words, sent or put in the place of its preview, and settled by how that went.
 * Every outcome is a row's transition; the table in `settlementOf` is the whole policy [CT-4].
 */

import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import { faultPoint } from "#base/fault.js";
import type { ApprovalId } from "#base/ids.js";
import type { Button, FoundSent, Outgoing, Platform, SendOutcome } from "#platform/platform.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { DeliveryEvent } from "#session/delivery.js";
import type { DueDelivery } from "#session/verbs/outbox.js";
import { placeOf } from "./address.js";
import { approvalToken } from "./commands/approval-token.js";
import type { FileVerdict } from "./gateway.js";
import { naming, SECOND_COPY } from "./words.js";

/** How long a platform may take over one message; files may take longer. */
export const SEND_LIMIT_MS = 30_000;
const MEDIA_LIMIT_MS = 120_000;
const FIND_LIMIT_MS = 20_000;
/** For an adapter that does not hear its signal. */
const STUBBORN_MS = 5_000;
/** Attempts of which the platform certainly took nothing, and how long something is owed at all. */
export const ATTEMPTS_MAX = 200;
export const OWED_MAX_MS = 3 * 86_400_000;
/** However long it was owed (nobody was there to send it), it is tried this often. */
const ATTEMPTS_MIN = 10;
/** Attempts after which an outcome that nobody can tell is given up on. */
export const UNSURE_MAX = 5;
const BACKOFF_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;
/** What a platform may ask us to wait; longer is asked again then. */
export const RETRY_MAX_MS = 3_600_000;

export type Settlement = Exclude<DeliveryEvent, { type: "claimed" }>;

export interface SendParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** See `PlatformKind.isIdempotent`. */
  readonly isIdempotent: boolean;
  mayLeave(path: string): Promise<FileVerdict>;
}

/** Sends one; `preview` is a message of ours that it takes the place of. Never rejects. */
export async function sendOne(
  platform: Platform,
  due: DueDelivery,
  { preview, isProvenAbsent, ...parts }: SendParts & { preview: string | undefined; isProvenAbsent: boolean },
): Promise<SendOutcome> {
  const { clock, signal, isIdempotent } = parts;
  const isMarked = due.isMarked && !isProvenAbsent && !isIdempotent;
  const outgoing = await withJudgedFile(asOutgoing(due, { isMarked }), parts);
  const timeMs = outgoing.media === undefined ? SEND_LIMIT_MS : MEDIA_LIMIT_MS;
  faultPoint("outbox.before-send");
  const outcome = await guarded({ clock, timeMs: timeMs + STUBBORN_MS }, () =>
    withDeadline({ clock, timeMs, signal }, async (limited) => {
      if (preview !== undefined && platform.edit !== undefined && outgoing.media === undefined) {
        const edited = await platform.edit(outgoing.place, preview, outgoing, limited);
        // Putting the same text there twice does no harm: an outcome that is not known is tried again.
        if (edited.kind === "unknown") return { kind: "retry", afterMs: 1_000, why: edited.why };
        if (edited.kind !== "refused") return edited;
      }
      return platform.send(outgoing, limited);
    }),
  );
  faultPoint("outbox.sent");
  return outcome;
}

/** What a model names is looked at before it leaves: a file that has to stay is named, with the reason. */
async function withJudgedFile({ media, ...words }: Outgoing, { mayLeave }: SendParts): Promise<Outgoing> {
  if (media === undefined) return words;
  // Whoever cannot look cannot say that it may.
  const unseen = (): FileVerdict => ({ kind: "stays", why: "it could not be looked at" });
  const verdict = await mayLeave(media.path).catch(unseen);
  if (verdict.kind === "may-leave") return { ...words, media: { ...media, path: verdict.path } };
  return { ...words, text: `${words.text}: this file was not sent, ${verdict.why}.` };
}

export async function findOne(platform: Platform, due: DueDelivery, parts: SendParts): Promise<FoundSent> {
  const { findSent } = platform;
  if (findSent === undefined) return { kind: "unsure" };
  try {
    return await withDeadline({ ...parts, timeMs: FIND_LIMIT_MS }, (signal) =>
      findSent.call(platform, asOutgoing(due, { isMarked: false }), due.createdMs, signal),
    );
  } catch {
    // Whoever cannot look cannot say; the marked copy is the honest way on.
    return { kind: "unsure" };
  }
}

export function asOutgoing(due: DueDelivery, { isMarked }: { isMarked: boolean }): Outgoing {
  const { body } = due;
  const approval = body?.approval;
  const buttons = approval === undefined ? [] : (body?.answers ?? []).map((answer) => button(approval, answer));
  const hint = approval === undefined || body?.isFromElsewhere === undefined ? "" : `\n\n${naming(approval)}`;
  return {
    id: due.id,
    place: placeOf(due.address),
    text: `${isMarked ? `${SECOND_COPY}\n` : ""}${due.text}${hint}`,
    ...(buttons.length === 0 ? {} : { buttons }),
    ...(body?.media === undefined ? {} : { media: body.media }),
  };
}

const LABELS: Readonly<Record<ApprovalAnswer, Pick<Button, "label" | "look">>> = {
  once: { label: "Allow once", look: "good" },
  session: { label: "This session", look: "plain" },
  always: { label: "Always", look: "plain" },
  deny: { label: "Deny", look: "bad" },
};

function button(approval: ApprovalId, answer: ApprovalAnswer): Button {
  return { ...LABELS[answer], token: approvalToken(approval, answer) };
}

/** What becomes of the row. Times are of the given clock. */
export function settlementOf(outcome: SendOutcome, due: DueDelivery, nowMs: number): Settlement {
  switch (outcome.kind) {
    case "sent":
      return { type: "sent", receipt: outcome.receipt };
    case "refused":
      return { type: "gave-up", error: outcome.why };
    case "unknown":
      return { type: "lost-sight" };
    case "retry": {
      if (isSpent(due, nowMs)) {
        return { type: "gave-up", error: `given up after ${due.attempts} attempts: ${outcome.why}` };
      }
      const wanted = Number.isFinite(outcome.afterMs) ? outcome.afterMs : 0;
      const waitMs = Math.min(RETRY_MAX_MS, Math.max(wanted, backoffMs(due.attempts)));
      return { type: "refused-for-now", dueMs: nowMs + waitMs };
    }
  }
}

/** For one whose outcome is unknown, after somebody looked [CT-4]. */
export function resolutionOf(found: FoundSent, due: DueDelivery, nowMs: number): Settlement {
  if (found.kind === "found") return { type: "sent", receipt: found.receipt };
  // Attempts of which nothing was taken say nothing about this one: a copy, at least, is owed.
  const isOver = found.kind === "absent" ? due.attempts >= ATTEMPTS_MAX : due.isMarked && due.attempts >= UNSURE_MAX;
  if (isOver) {
    return { type: "gave-up", error: `nobody can say whether it arrived, after ${due.attempts} attempts` };
  }
  return { type: "send-marked-copy", dueMs: nowMs + (found.kind === "absent" ? 0 : backoffMs(due.attempts)) };
}

function isSpent({ attempts, createdMs }: DueDelivery, nowMs: number): boolean {
  return attempts >= ATTEMPTS_MAX || (attempts >= ATTEMPTS_MIN && nowMs - createdMs > OWED_MAX_MS);
}

function backoffMs(attempts: number): number {
  return BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length) - 1] ?? 1_000;
}

/** An adapter that throws has lost sight of what it did; so has one that ignores its time limit. */
async function guarded(
  { clock, timeMs }: { clock: Clock; timeMs: number },
  act: () => Promise<SendOutcome>,
): Promise<SendOutcome> {
  let forget: () => void = () => undefined;
  const late = new Promise<SendOutcome>((resolve) => {
    forget = clock.after(timeMs, () => resolve({ kind: "unknown", why: "it took too long" }));
  });
  try {
    return await Promise.race([act(), late]);
  } catch (error) {
    return { kind: "unknown", why: error instanceof Error ? error.message : String(error) };
  } finally {
    forget();
  }
}

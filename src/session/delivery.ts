/**
 * The life of a delivery: owed, being sent, sent with a receipt. When bytes left and no answer came the
 * outcome is `unknown`, which only a read-back or a marked second copy may resolve [CT-3] [CT-4].
 */
import { InvariantError, unreachable } from "#base/errors.js";
import type { ApprovalId } from "#base/ids.js";
import type { ApprovalAnswer } from "./approval.js";

/** What goes along with a part's text. */
export interface DeliveryBody {
  /** It puts a question: the person's answer belongs to this one, and these are the answers it takes. */
  readonly approval?: ApprovalId;
  readonly answers?: readonly ApprovalAnswer[];
  /** It is put where it does not come from: whoever answers in words has to name it. */
  readonly isFromElsewhere?: true;
  /** A file of this machine. */
  readonly media?: { readonly path: string; readonly name: string; readonly mediaType: string };
}

/** One message of several that are owed together. */
export interface OwedPart {
  readonly text: string;
  readonly body?: DeliveryBody;
}

export type DeliveryState =
  | { readonly phase: "pending"; readonly dueMs: number | null; readonly isMarked: boolean }
  | { readonly phase: "sending"; readonly isMarked: boolean }
  | { readonly phase: "unknown"; readonly isMarked: boolean }
  | { readonly phase: "sent"; readonly receipt: string }
  | { readonly phase: "dead"; readonly error: string };

export type DeliveryEvent =
  | { readonly type: "claimed" }
  | { readonly type: "sent"; readonly receipt: string }
  /** The platform took nothing: try again at `dueMs`. */
  | { readonly type: "refused-for-now"; readonly dueMs: number }
  /** We, or the line, died after bytes left. */
  | { readonly type: "lost-sight" }
  /** Nobody can say whether it arrived: one more copy, visibly marked. */
  | { readonly type: "send-marked-copy"; readonly dueMs: number }
  | { readonly type: "gave-up"; readonly error: string };

export function transitionDelivery(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  if (!isTimely(state, event)) throw illegal(state, event);
  const isMarked = "isMarked" in state && state.isMarked;
  switch (event.type) {
    case "claimed":
      return { phase: "sending", isMarked };
    case "sent":
      return { phase: "sent", receipt: event.receipt };
    case "refused-for-now":
      return { phase: "pending", dueMs: event.dueMs, isMarked };
    case "lost-sight":
      return { phase: "unknown", isMarked };
    case "send-marked-copy":
      return { phase: "pending", dueMs: event.dueMs, isMarked: true };
    case "gave-up":
      return { phase: "dead", error: event.error };
    default:
      return unreachable(event);
  }
}

/** False for news about a send that is no longer under way, as a slow answer after a retry was set. */
export function isTimely(state: DeliveryState, event: DeliveryEvent): boolean {
  switch (event.type) {
    case "claimed":
      return state.phase === "pending" && state.dueMs !== null;
    case "sent":
      return state.phase === "sending" || state.phase === "unknown";
    case "refused-for-now":
    case "lost-sight":
      return state.phase === "sending";
    case "send-marked-copy":
      return state.phase === "unknown";
    case "gave-up":
      return state.phase !== "sent" && state.phase !== "dead";
    default:
      return unreachable(event);
  }
}

function illegal(state: DeliveryState, event: DeliveryEvent): InvariantError {
  return new InvariantError(`${event.type} is illegal while a delivery is ${state.phase}`);
}

/**
 * The life of a delivery: owed, being sent, sent with a receipt. When bytes left and no answer came the
 * outcome is `unknown`, which only a read-back or a marked second copy may resolve [CT-3] [CT-4].
 */
import { InvariantError, unreachable } from "#base/errors.js";

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
  if (state.phase === "sent" || state.phase === "dead") throw illegal(state, event);
  switch (event.type) {
    case "claimed":
      if (state.phase === "pending" && state.dueMs !== null) return { phase: "sending", isMarked: state.isMarked };
      break;
    case "sent":
      if (state.phase !== "pending") return { phase: "sent", receipt: event.receipt };
      break;
    case "refused-for-now":
      if (state.phase === "sending") return { phase: "pending", dueMs: event.dueMs, isMarked: state.isMarked };
      break;
    case "lost-sight":
      if (state.phase === "sending") return { phase: "unknown", isMarked: state.isMarked };
      break;
    case "send-marked-copy":
      if (state.phase === "unknown") return { phase: "pending", dueMs: event.dueMs, isMarked: true };
      break;
    case "gave-up":
      return { phase: "dead", error: event.error };
    default:
      return unreachable(event);
  }
  throw illegal(state, event);
}

function illegal(state: DeliveryState, event: DeliveryEvent): InvariantError {
  return new InvariantError(`${event.type} is illegal while a delivery is ${state.phase}`);
}

import { describe, expect, it } from "vitest";
import { InvariantError } from "#base/errors.js";
import { type DeliveryEvent, type DeliveryState, transitionDelivery } from "./delivery.js";

const STATES: Readonly<Record<string, DeliveryState>> = {
  "pending in line": { phase: "pending", dueMs: null, isMarked: false },
  "pending and due": { phase: "pending", dueMs: 5, isMarked: false },
  sending: { phase: "sending", isMarked: false },
  unknown: { phase: "unknown", isMarked: false },
  sent: { phase: "sent", receipt: "r" },
  dead: { phase: "dead", error: "e" },
};
const EVENTS: Readonly<Record<string, DeliveryEvent>> = {
  claimed: { type: "claimed" },
  sent: { type: "sent", receipt: "receipt" },
  "refused-for-now": { type: "refused-for-now", dueMs: 9 },
  "lost-sight": { type: "lost-sight" },
  "send-marked-copy": { type: "send-marked-copy", dueMs: 9 },
  "gave-up": { type: "gave-up", error: "error" },
};
const SENT: DeliveryState = { phase: "sent", receipt: "receipt" };
const DEAD: DeliveryState = { phase: "dead", error: "error" };
/** Every state × every event; what is not here is illegal. */
const NEXT: Readonly<Record<string, DeliveryState>> = {
  "pending in line gave-up": DEAD,
  "pending and due claimed": { phase: "sending", isMarked: false },
  "pending and due gave-up": DEAD,
  "sending sent": SENT,
  "sending refused-for-now": { phase: "pending", dueMs: 9, isMarked: false },
  "sending lost-sight": { phase: "unknown", isMarked: false },
  "sending gave-up": DEAD,
  "unknown sent": SENT,
  "unknown send-marked-copy": { phase: "pending", dueMs: 9, isMarked: true },
  "unknown gave-up": DEAD,
};
const PAIRS = Object.keys(STATES).flatMap((state) => Object.keys(EVENTS).map((event) => [state, event] as const));

describe("a delivery", () => {
  it.each(PAIRS)("that is %s and %s goes where the table says", (state, event) => {
    const next = NEXT[`${state} ${event}`];
    const act = (): DeliveryState => transitionDelivery(STATES[state] as DeliveryState, EVENTS[event] as DeliveryEvent);
    if (next === undefined) expect(act).toThrow(InvariantError);
    else expect(act()).toEqual(next);
  });

  it("keeps its mark through a refusal, a claim and another loss", () => {
    const events: DeliveryEvent[] = [{ type: "claimed" }, { type: "refused-for-now", dueMs: 1 }, { type: "claimed" }];
    const start: DeliveryState = { phase: "pending", dueMs: 1, isMarked: true };
    const end = [...events, { type: "lost-sight" } as const].reduce(transitionDelivery, start);
    expect(end).toEqual({ phase: "unknown", isMarked: true });
  });

  it("refuses an event nobody defined", () => {
    expect(() => transitionDelivery(STATES["sending"] as DeliveryState, { type: "mislaid" } as never)).toThrow(
      /unhandled variant/,
    );
  });
});

/** What became of a message that was said before, as the host keeps it: for a repeated one, and for whoever looks in. */
import type { Result } from "#protocol/methods.js";
import type { ChatDisplay, Recalled } from "./display.js";
import { NOTHING_SPENT, type TurnReport } from "./glimpse.js";

export type Exchange = NonNullable<Result<"prompt.submit">["exchange"]>;
export type Card = Extract<Result<"session.find">, { kind: "found" }>["card"];

/** For a turn whose end was not seen: what it cost is not told again. */
export function exchangeReport(conversation: string, exchange: Exchange): TurnReport {
  const { assistant, turn_id = null, outcome = "completed", reason, model = null } = exchange;
  return {
    conversation,
    session: exchange.tip_session_id ?? conversation,
    turn: turn_id,
    outcome,
    text: outcome === "completed" ? (assistant ?? "") : "",
    ...(reason === undefined || outcome === "interrupted-by-user" ? {} : { notice: reason, reason }),
    model,
    steps: 0,
    spent: NOTHING_SPENT,
    isRecovered: true,
    questions: [],
  };
}

/** [CT-5] Whoever did not see the turn is told what nobody knows of it. */
export function tellUnknown(display: ChatDisplay, exchange: Exchange | null): void {
  const calls = exchange?.unknown_calls ?? [];
  if (calls.length > 0) display.note(`(interrupted; the outcome is unknown: ${calls.join(", ")})`);
}

export function recalledOf(conversation: string, exchange: Exchange | null, because: Recalled["because"]): Recalled {
  return {
    conversation,
    session: exchange?.tip_session_id ?? conversation,
    model: exchange?.model ?? null,
    because,
    turn: exchange?.turn_id ?? null,
    said: exchange?.user ?? null,
    outcome: exchange?.outcome ?? (exchange?.assistant == null ? "failed" : "completed"),
    reason: exchange?.reason ?? null,
    answer: exchange?.assistant ?? null,
    isCut: exchange?.is_interrupted === true,
  };
}

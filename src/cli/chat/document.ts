/** A chat's result for programs; documented in docs/json.md. */
import { redactValue } from "#base/redact.js";
import { isDemoLabel, type Recalled } from "./display.js";
import type { TurnReport } from "./glimpse.js";

const MICROS_PER_USD = 1_000_000;

export type ResultDocument = Readonly<Record<string, unknown>>;

/** The last turn is the result; `turns` holds all of them when several ran. */
export function resultDocument(reports: readonly TurnReport[], notes: readonly string[]): ResultDocument {
  const last = reports.at(-1);
  if (last === undefined) return {};
  return {
    ...turnDocument(last),
    ...(notes.length === 0 ? {} : { notes }),
    ...(reports.length < 2 ? {} : { turns: reports.map(turnDocument) }),
  };
}

export function recalledDocument(recalled: Recalled, notes: readonly string[]): ResultDocument {
  const { conversation, session, turn, answer, model, because, reason } = recalled;
  return {
    conversation,
    session,
    turn,
    outcome: because === "duplicate" ? recalled.outcome : "idle",
    text: answer ?? "",
    ...(reason === null ? {} : { reason }),
    model,
    isDemo: isDemoLabel(model),
    steps: 0,
    spent: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    isRecovered: false,
    ...(because === "duplicate" ? { isDuplicate: true } : {}),
    questions: [],
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function turnDocument(report: TurnReport): ResultDocument {
  const { conversation, session, turn, outcome, text, notice, reason, model, steps, spent, isRecovered } = report;
  return {
    conversation,
    session,
    turn,
    outcome,
    text,
    ...(notice === undefined ? {} : { notice }),
    ...(reason === undefined ? {} : { reason }),
    model,
    isDemo: isDemoLabel(model),
    steps,
    spent: {
      inputTokens: spent.inputTokens,
      outputTokens: spent.outputTokens,
      // A cost that is partly unknown is unknown.
      costUsd: spent.unpricedCalls > 0 ? null : spent.costMicros / MICROS_PER_USD,
    },
    isRecovered,
    questions: report.questions.map(({ approval, question }) => ({ approval, question: redactValue(question) })),
  };
}

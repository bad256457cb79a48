/**
 * Work handed to a child: a conversation of its own with lineage `delegation`, driven from inside the parent's
 * call. Its input is admitted under the call's durable id, so a call that runs again after a death finds the same
 * child and continues it; that is what makes `delegate` idempotent.
 */
import { NOBODY_ASKED } from "#agent/permit.js";
import type { RunChild } from "#tool/delegate.js";
import type { Costs } from "./costs.js";
import { DELEGATED_SOURCE, type Engine } from "./engine.js";
import type { Face } from "./face.js";
import type { ClaimedRun } from "./run-claimed.js";

export function runChildOf(engine: Engine, parent: ClaimedRun, costs: Costs): RunChild {
  return async ({ goal, context, call, signal, tools }) => {
    const { claimed, face } = parent;
    const admission = await engine.store.admit({
      platform: DELEGATED_SOURCE,
      account: "self",
      eventId: call,
      to: { kind: "new", delegatedBy: claimed.conversation },
      text: context === undefined || context === "" ? goal : `${goal}\n\n${context}`,
      start: {
        source: DELEGATED_SOURCE,
        ...(claimed.model === null ? {} : { model: claimed.model }),
        ...(claimed.cwd === null ? {} : { cwd: claimed.cwd }),
        settings: tools === undefined ? claimed.settings : { ...claimed.settings, tools },
      },
      nowMs: engine.clock.nowMs(),
    });
    if (admission.kind !== "admitted" && admission.kind !== "duplicate") {
      return { kind: "failed", text: `the work could not be handed on (${admission.kind})` };
    }
    const { conversation } = admission;
    const reports = await engine.runConversation(engine, { conversation, face: childFace(face), signal, costs });
    const last = reports.at(-1);
    if (last === undefined) return answerOfEarlierRun(engine, conversation);
    if (last.outcome === "completed") return { kind: "done", text: last.text || (last.notice ?? ""), conversation };
    return { kind: "failed", text: last.notice ?? `it ended as ${last.outcome}`, conversation };
  };
}

/** What a child asks is put to the parent's person; where nobody is, it is denied: a child is never parked. */
function childFace(face: Face): Face {
  return {
    platform: DELEGATED_SOURCE,
    isAsked: true,
    onGlimpse(glimpse) {
      if (glimpse.type === "asking" || glimpse.type === "answered" || glimpse.type === "notice")
        face.onGlimpse?.(glimpse);
    },
    async ask(approval, question, signal) {
      const answer = await face.ask?.(approval, question, signal);
      if (answer !== undefined) return answer;
      const what = question.kind === "permission" ? question.summary : question.text;
      face.onGlimpse?.({
        type: "notice",
        text: `Not done by the delegated agent, because nobody could be asked: ${what}`,
      });
      return { answer: "deny", reply: NOBODY_ASKED };
    },
  };
}

/** The child ended before its parent died: its last answer is in history. */
async function answerOfEarlierRun(
  engine: Engine,
  conversation: Awaited<ReturnType<RunChild>>["conversation"] & string,
) {
  const { messages } = await engine.histories.read(conversation);
  const last = messages.findLast(({ role }) => role === "assistant");
  return last === undefined
    ? { kind: "failed" as const, text: "it ended without an answer", conversation }
    : { kind: "done" as const, text: last.text, conversation };
}

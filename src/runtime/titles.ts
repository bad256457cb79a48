/**
 * Titles [LS-5 … LS-7]: a wanted title that could not be set before is tried again after a turn, and a conversation
 * without one gets one after its first exchange. The work is a job: it survives a death and never delays an answer.
 */
import { cleanTitle, titleRequest } from "#agent/title.js";
import type { ConversationId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import type { DueJob } from "#session/verbs/outbox.js";
import type { Engine } from "./engine.js";
import type { Face, TurnReport } from "./face.js";

export const TITLE_JOB = "title";
export const TITLE_TIME_MS = 30_000;
/** After more exchanges than this nobody misses a title. */
const EXCHANGES_MAX = 2;
/** `Plan`, `Plan 2`, … until one is free. */
const TAKEN_TRIES_MAX = 5;

/** After a settled turn of a conversation without a title. */
export async function afterTurn(engine: Engine, face: Face, report: TurnReport): Promise<void> {
  const { conversation } = report;
  if (report.isTitled) return;
  const wanted = await engine.store.applyWantedTitle({ conversation });
  if (wanted.kind === "set" || wanted.kind === "kept-for-later") return;
  if (wanted.kind === "dropped") {
    face.onGlimpse?.({
      type: "notice",
      text: `The title you wanted is ${DROPPED_TEXT[wanted.reason]}; one will be chosen.`,
    });
  }
  if (!engine.settings.isTitling || report.outcome !== "completed" || report.text.trim() === "") return;
  const { messages } = await engine.histories.read(conversation);
  if (messages.filter(({ role }) => role === "user").length > EXCHANGES_MAX) return;
  await engine.store.enqueueJob({
    kind: TITLE_JOB,
    key: conversation,
    conversation,
    payload: {},
    dueMs: engine.clock.nowMs(),
  });
}

const DROPPED_TEXT = { taken: "taken by another conversation", empty: "empty", "too-long": "too long" } as const;

export async function runTitleJob(engine: Engine, job: DueJob, signal: AbortSignal): Promise<void> {
  const { conversation } = job;
  if (conversation === null) return;
  const card = await engine.store.show({ conversation });
  if (card === null || card.title !== null) return;
  const { messages } = await engine.histories.read(conversation);
  const said = messages.find(({ role }) => role === "user")?.text;
  const answered = messages.find(({ role, text }) => role === "assistant" && text !== "")?.text;
  if (said === undefined || answered === undefined) return;
  const { auxiliary } = await engine.models({ model: card.model, settings: {} });
  const title = await generate(auxiliary[0], titleRequest(said, answered), signal);
  if (title !== undefined) await setFree(engine, conversation, title);
}

async function generate(
  model: Model,
  request: ReturnType<typeof titleRequest>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const outcome = await model.step(request, { signal });
  // Thrown to the job, which is tried again later.
  if (outcome.kind === "failed") throw new Error(outcome.failure.message);
  if (outcome.kind === "aborted") throw new Error("it took too long");
  return cleanTitle(outcome.text);
}

async function setFree(engine: Engine, conversation: ConversationId, title: string): Promise<void> {
  for (let at = 1; at <= TAKEN_TRIES_MAX; at++) {
    const set = await engine.store.setTitle({ conversation, title: at === 1 ? title : `${title} (${at})` });
    if (set.kind !== "dropped" || set.reason !== "taken") return;
  }
}

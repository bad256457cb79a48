/**
 * The coordinator: one run per conversation in this process. Whoever asks while one is under way waits until it is
 * over and then looks for itself; two at once would find each other's turn open and take it over. Delegated work goes
 * the same way, so a child is never run from two sides.
 */
import type { RunConversation } from "./engine.js";
import { runConversation } from "./run-conversation.js";

export const runAlone: RunConversation = async (engine, run) => {
  const { conversation } = run;
  // Looked at again after each wait: of several that waited, one is first, and the others wait for it.
  for (let other = engine.running.get(conversation); other !== undefined; other = engine.running.get(conversation)) {
    await other.done;
  }
  const controller = new AbortController();
  const signal = AbortSignal.any([run.signal, controller.signal]);
  const work = runConversation(engine, { ...run, signal }).finally(() => engine.running.delete(conversation));
  engine.running.set(conversation, { done: ended(work), interrupt: () => controller.abort(new Error("interrupted")) });
  return work;
};

/** Resolves when it is over, however it ended: its failure is told to the one who asked for it. */
function ended(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => undefined,
    () => undefined,
  );
}

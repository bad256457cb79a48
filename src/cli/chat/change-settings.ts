/** `--model` and `--yolo` for a conversation that exists: they are its settings from here on, as /model and /yolo are. */
import type { Card } from "./exchange.js";
import type { ChatParts } from "./talk.js";

export async function changeSettings({ link, start, display }: ChatParts, card: Card): Promise<void> {
  const { model, isYolo } = start;
  const session_id = card.id;
  const wasYolo = card.settings["yolo"] === true;
  if (model !== undefined) await link.call("config.set", { key: "model", value: model, session_id });
  if (isYolo && !wasYolo) await link.call("config.set", { key: "yolo", value: "on", session_id });
  // Nobody should find out by a command that was not asked for.
  if (wasYolo && !isYolo) display.note("This conversation never asks before a tool runs; /yolo off changes that.");
}

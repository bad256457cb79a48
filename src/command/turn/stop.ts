/** `/stop`: the running turn is interrupted, what waits is withdrawn, background processes are ended [CT-7]. */
import { NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { counted } from "../text.js";
import { type Halted, halt, inTime } from "./halt.js";

export const stopCommand: SlashCommand = {
  name: "stop",
  aliases: [],
  category: "Turn",
  arguments: "none",
  summary: "interrupt the turn and end its processes",
  details: ["What was written so far is kept and marked as cut; messages that waited are withdrawn."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  needs: ["live"],
  whileBusy: true,
  run: stop,
};

async function stop(context: SlashContext): Promise<SlashOutcome> {
  const { conversation, processes, clock } = context;
  if (conversation === undefined) return said(NOTHING_YET);
  const ending = processes === undefined ? Promise.resolve(0) : processes.endAll(conversation);
  const [halted, ended] = await Promise.all([halt(context, conversation, "stopped"), inTime(clock, ending)]);
  const told = [...haltedText(halted), ...endedText(ended)];
  return said(told.length === 0 ? "Nothing was running here." : told.join(" "));
}

function haltedText({ wasAtWork, isOver, withdrawn }: Halted): readonly string[] {
  const turn = wasAtWork ? [isOver ? "The turn is interrupted." : "The turn is being interrupted."] : [];
  const queue = withdrawn === 0 ? [] : [`${counted(withdrawn, "message")} that waited ${isAre(withdrawn)} withdrawn.`];
  return [...turn, ...queue];
}

function endedText(ended: Awaited<ReturnType<typeof inTime<number>>>): readonly string[] {
  if (ended.kind === "late") return ["Its background processes are being ended."];
  const { value } = ended;
  return value === 0 ? [] : [`${counted(value, "background process", "background processes")} ${isAre(value)} ended.`];
}

function isAre(value: number): string {
  return value === 1 ? "is" : "are";
}

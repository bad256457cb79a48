/**
 * What a face of this process is written against: the runtime's shapes and the slash commands. Faces know this file
 * and no layer below it.
 */
export type { Glimpse, Question } from "#agent/glimpse.js";
export { estimateText } from "#agent/tokens.js";
export type { PersonsAnswer } from "#agent/turn-parts.js";
export { costOf, costText, formatCost } from "#command/about/cost-text.js";
export type { SlashContext, SlashOutcome } from "#command/command.js";
export { droppedText } from "#command/conversation/title.js";
export { type LineOutcome, runLine } from "#command/run-line.js";
export { availableCommands } from "#command/table.js";
export { lastAsked } from "#command/turn/undo.js";
export type { Model } from "#model/model.js";
export type { Face, TurnReport } from "#runtime/face.js";
export type { Runtime } from "#runtime/runtime.js";

/** `/steer TEXT`: a word to the turn that runs, told between two of its steps. */
import { type SlashCommand, said } from "../command.js";
import { notTakenText } from "./admission-text.js";

export const steerCommand: SlashCommand = {
  name: "steer",
  aliases: [],
  category: "Turn",
  takes: "<text>",
  arguments: "none",
  summary: "tell the running turn something, between its steps",
  details: ["When nothing runs it is a message like any other."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  needs: ["live"],
  whileBusy: true,
  async run({ live, conversation }, text) {
    if (text === "") return said("/steer takes what you want to tell it.");
    const state = live === undefined || conversation === undefined ? "idle" : await live.state(conversation);
    if (live === undefined || conversation === undefined || state === "idle") {
      return { say: [], next: { kind: "send", text } };
    }
    const admission = await live.say({ text, mode: "steer", to: { kind: "conversation", id: conversation } });
    const told = state === "waiting" ? "It is told when the turn goes on." : "It is told after the step under way.";
    return said(notTakenText(admission) ?? told);
  },
};

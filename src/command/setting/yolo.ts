/** `/yolo`: in this conversation nobody is asked any more; what is refused always stays refused. */
import { tellChanged } from "../changed.js";
import { DELETED, NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";

export const yoloCommand: SlashCommand = {
  name: "yolo",
  aliases: [],
  category: "Configuration",
  takes: "[on|off]",
  arguments: ["on", "off"],
  summary: "do not ask before dangerous acts here, or ask again",
  details: ["Alone it turns the other way. It holds for this conversation, over restarts, from its next turn on."],
  where: ["terminal", "chat"],
  who: "owner",
  again: (words) => (words === "" ? undefined : "same"),
  whileBusy: true,
  async run(context, words) {
    const wish = words.toLowerCase();
    if (wish !== "" && wish !== "on" && wish !== "off") return said("/yolo takes on or off.");
    const { store, conversation } = context;
    const card = conversation === undefined ? null : await store.show({ conversation });
    if (card === null || conversation === undefined) return said(NOTHING_YET);
    const isOn = card.sessions.at(-1)?.settings["yolo"] === true;
    return turn(context, wish === "" ? !isOn : wish === "on");
  },
};

async function turn(context: SlashContext, isOn: boolean): Promise<SlashOutcome> {
  const { store, conversation } = context;
  if (conversation === undefined) return said(NOTHING_YET);
  const { kind } = await store.setSettings({ conversation, changes: { yolo: isOn ? true : null } });
  if (kind !== "set") return said(DELETED);
  tellChanged(context, conversation, "settings");
  return said(isOn ? ON : OFF);
}

const ON =
  "YOLO is on for this conversation: from its next turn on nobody is asked. A short list of commands is refused all the same.";
const OFF = "YOLO is off: from its next turn on this conversation asks again.";

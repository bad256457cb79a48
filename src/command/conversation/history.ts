/** `/history [n]` shows the last messages, `/save` writes all of them to a file. */
import type { HistoryRow } from "#session/verbs/reading.js";
import { NOTHING_YET, type SlashCommand, said } from "../command.js";
import { numberIn, oneLine } from "../text.js";

const SHOWN_DEFAULT = 10;
const SHOWN_MAX = 50;
const TEXT_CHARS_MAX = 1_000;
const RESULT_CELLS_MAX = 70;

export const historyCommand: SlashCommand = {
  name: "history",
  aliases: [],
  category: "Session",
  takes: "[count]",
  arguments: "none",
  summary: "the last messages of this conversation",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run({ store, conversation }, words) {
    const limit = words === "" ? SHOWN_DEFAULT : numberIn(words, { min: 1, max: SHOWN_MAX });
    if (limit === undefined) return said(`/history takes a number from 1 to ${SHOWN_MAX}.`);
    const rows = conversation === undefined ? [] : await store.recent({ conversation, limit });
    return rows.length === 0 ? said(NOTHING_YET) : said(...rows.map(messageText));
  },
};

export const saveCommand: SlashCommand = {
  name: "save",
  aliases: [],
  category: "Session",
  arguments: "none",
  summary: "write this conversation to a file",
  where: ["terminal"],
  who: "owner",
  needs: ["save"],
  async run({ save, conversation }) {
    if (save === undefined || conversation === undefined) return said(NOTHING_YET);
    return said(`Written to ${await save(conversation)}`);
  },
};

const SPEAKERS: Readonly<Record<HistoryRow["role"], string>> = {
  user: "You",
  assistant: "Agent",
  tool: "Tool",
  system: "System",
  note: "Note",
};

function messageText({ role, text, body }: HistoryRow): string {
  const speaker = role === "tool" && body?.toolName !== undefined ? `Tool ${body.toolName}` : SPEAKERS[role];
  const calls = (body?.toolCalls ?? []).map(({ name }) => name).join(", ");
  if (role === "tool") return `${speaker}: ${oneLine(text, RESULT_CELLS_MAX)}`;
  const asked = calls === "" ? "" : `${text === "" ? "" : " "}(uses ${calls})`;
  return `${speaker}: ${cut(text)}${asked}`;
}

function cut(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text;
  return `${text.slice(0, TEXT_CHARS_MAX).toWellFormed()}… (${text.length - TEXT_CHARS_MAX} more characters)`;
}

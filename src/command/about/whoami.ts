/** `/version`, `/whoami` and `/profile`: what this is, who one is here, and where it lives. */
import { type SlashCommand, said } from "../command.js";
import { columns, factsFor, oneLine } from "../text.js";

export const versionCommand: SlashCommand = {
  name: "version",
  aliases: ["v"],
  category: "Info",
  arguments: "none",
  summary: "which Talaria this is",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  run: async ({ version }) => said(`Talaria ${version}`),
};

export const whoamiCommand: SlashCommand = {
  name: "whoami",
  aliases: [],
  category: "Info",
  arguments: "none",
  summary: "who you are here, and what you may",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context) {
    const { actor, sender } = context;
    const { id, name, role } = context.person;
    const called = name === undefined ? id : `${oneLine(name)} (${id})`;
    const may = role === "owner" ? "the owner of this home: everything" : "a member: your own conversations";
    return said(
      factsFor(context, [
        ["person", called],
        ["may", may],
        ["platform", actor.platform],
        ...(sender === undefined ? [] : [["id there", oneLine(sender)] as const]),
      ]),
    );
  },
};

export const profileCommand: SlashCommand = {
  name: "profile",
  aliases: [],
  category: "Info",
  arguments: "none",
  summary: "where this home and its settings are",
  where: ["terminal"],
  who: "owner",
  needs: ["home"],
  whileBusy: true,
  run: async ({ home }) =>
    said(
      columns([
        ["home", home?.root ?? ""],
        ["settings", home?.config ?? ""],
      ]),
    ),
};

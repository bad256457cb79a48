/** `/context`: what fills the model's window. */
import { weighContext } from "#runtime/context-weight.js";
import type { Role } from "#session/message.js";
import { NOTHING_YET, type SlashCommand, said } from "../command.js";
import { count, counted, factsFor } from "../text.js";

export const contextCommand: SlashCommand = {
  name: "context",
  aliases: ["ctx"],
  category: "Info",
  arguments: "none",
  summary: "what fills the model's window",
  details: ["The numbers are estimates."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context) {
    const { store, conversation, model, toolTokens } = context;
    const weight = conversation === undefined ? null : await weighContext(store, conversation);
    if (weight === null) return said(NOTHING_YET);
    const share = (tokens: number): string => `${Math.min(100, Math.round((100 * tokens) / model.windowTokens))}%`;
    const rows = ROLES.flatMap(([role, name]) => {
      const own = weight.byRole[role];
      return own === undefined || own.tokens === 0
        ? []
        : [[name, count(own.tokens), share(own.tokens), counted(own.messages, "message")]];
    });
    const tools = (await toolTokens?.()) ?? 0;
    const all = weight.tokens + tools;
    return said(
      factsFor(context, [
        ["system prompt", count(weight.promptTokens), share(weight.promptTokens), ""],
        ...(tools === 0 ? [] : [["tools", count(tools), share(tools), "their descriptions"]]),
        ...rows,
        ["used", count(all), share(all), `of ${count(model.windowTokens)} tokens`],
      ]),
    );
  },
};

const ROLES: readonly (readonly [Role, string])[] = [
  ["system", "summaries"],
  ["user", "your messages"],
  ["assistant", "answers"],
  ["tool", "tool results"],
];

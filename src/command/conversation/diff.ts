/** `/diff`: what changed in the working directory since the last commit. */
import { NOTHING_YET, type SlashCommand, said } from "../command.js";
import { askGit, type GitAnswer } from "../reference/git.js";

const SHOWN_CHARS_MAX = 20_000;

export const diffCommand: SlashCommand = {
  name: "diff",
  aliases: [],
  category: "Session",
  arguments: "none",
  summary: "what changed in the working directory",
  where: ["terminal"],
  who: "owner",
  whileBusy: true,
  async run({ store, conversation, start }) {
    const card = conversation === undefined ? null : await store.show({ conversation });
    const cwd = card?.sessions.at(-1)?.cwd ?? start.cwd;
    if (cwd === undefined) return said(NOTHING_YET);
    const [stat, diff] = await Promise.all([askGit({ kind: "stat" }, cwd), askGit({ kind: "diff" }, cwd)]);
    if (diff.kind === "failed") return said(`Nothing to show: ${diff.why}.`);
    const texts = [textOf(stat), textOf(diff)].filter((text) => text !== "");
    return said(...(texts.length === 0 ? ["Nothing changed."] : texts));
  },
};

function textOf(answer: GitAnswer): string {
  if (answer.kind === "failed") return "";
  const text = answer.text.trimEnd();
  const isCut = answer.isCut || text.length > SHOWN_CHARS_MAX;
  return isCut ? `${text.slice(0, SHOWN_CHARS_MAX).toWellFormed()}\n… (there is more: git diff)` : text;
}

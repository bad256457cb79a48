/** The guide lists exactly the commands there are: `TALARIA_WRITE_GUIDE=1` writes its tables anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import { usageOf } from "./about/help.js";
import { CATEGORIES, type SlashCommand } from "./command.js";
import { SLASH_COMMANDS } from "./table.js";

const BEGIN = "<!-- commands -->";
const END = "<!-- /commands -->";
const path = join(packageRoot(), "docs", "guide", "commands.md");

function row(command: SlashCommand): string {
  const { aliases, summary, where, who, whileBusy } = command;
  const also = aliases.map((alias) => `\`/${alias}\``).join(", ");
  const notes = [
    ...(where.length === 1 ? [where[0] === "chat" ? "chats" : "terminals"] : []),
    ...(who === "owner" ? ["owner"] : []),
    ...(whileBusy === true ? [] : ["waits for a running turn"]),
  ];
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  return `| \`${cell(usageOf(command))}\` | ${also} | ${summary} | ${notes.join("; ")} |`;
}

function tables(): string {
  return CATEGORIES.map((category) => {
    const rows = SLASH_COMMANDS.filter((one) => one.category === category).map(row);
    return [`### ${category}`, "", "| you type | also | what it does | only |", "|---|---|---|---|", ...rows, ""].join(
      "\n",
    );
  }).join("\n");
}

it("[CM-1] the guide lists every command as it is", () => {
  const guide = readFileSync(path, "utf8");
  const [begin, end] = [guide.indexOf(BEGIN) + BEGIN.length, guide.indexOf(END)];
  expect(begin).toBeGreaterThan(BEGIN.length);
  const wanted = `\n\n${tables()}\n`;
  if (process.env["TALARIA_WRITE_GUIDE"] === "1")
    writeFileSync(path, guide.slice(0, begin) + wanted + guide.slice(end));
  else expect(guide.slice(begin, end)).toBe(wanted);
});

/**
 * Which conversation was last talked in at a terminal of this home, wherever it began. One word in a file that nothing
 * depends on: where it is missing or leads nowhere, the newest conversation of a terminal is meant.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "#base/atomic-file.js";
import { OperationalError, UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { Card } from "./exchange.js";
import type { HostLink } from "./link.js";

const CLI_SOURCE = "cli";
const ID = /^\w{1,64}$/;

export async function rememberLast(home: HomePaths, conversation: string): Promise<void> {
  if ((await remembered(home)) === conversation) return;
  try {
    await replaceFile(fileOf(home), `${conversation}\n`);
  } catch (error) {
    // A full disk or a folder that is not ours: `-c` finds the newest one then.
    if (!(error instanceof OperationalError || error instanceof UserError)) throw error;
  }
}

export async function lastConversation(home: HomePaths, link: HostLink): Promise<Card | undefined> {
  const known = await remembered(home);
  return (known === undefined ? undefined : await cardOf(link, known)) ?? (await newest(link));
}

async function newest(link: HostLink): Promise<Card | undefined> {
  const { sessions } = await link.call("session.list", { limit: 1, source: CLI_SOURCE });
  const [row] = sessions;
  return row === undefined ? undefined : cardOf(link, row.id);
}

async function cardOf(link: HostLink, id: string): Promise<Card | undefined> {
  const found = await link.call("session.find", { text: id });
  return found.kind === "found" ? found.card : undefined;
}

async function remembered(home: HomePaths): Promise<string | undefined> {
  const text = await readFile(fileOf(home), "utf8").catch(() => "");
  return ID.test(text.trim()) ? text.trim() : undefined;
}

function fileOf(home: HomePaths): string {
  return join(home.run, "last-chat");
}

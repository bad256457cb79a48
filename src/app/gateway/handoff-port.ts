/** Which chat a conversation goes on in: named, or the only home chat; and only one that is the owner's own. */
import { UserError } from "#base/errors.js";
import type { HandoffFound, SlashPorts } from "#command/ports.js";
import { spellAccount } from "#session/address.js";
import { sessionKey } from "#session/session-key.js";
import type { WorksParts } from "../host/make-server.js";
import type { ReadAccounts } from "./read-accounts.js";
import type { Target } from "./target.js";

export function handoffPort(parts: WorksParts): NonNullable<SlashPorts["handoff"]> {
  return async (words) => {
    const { home, env } = parts.wish;
    const [{ accountsOf }, { findTarget }] = await Promise.all([import("./accounts.js"), import("./target.js")]);
    const config = parts.settings.current();
    const read = await accountsOf({ home, env, config }, parts.extensions.platforms());
    const named = words === "" ? onlyHome(read) : words;
    if (named === undefined) return refused(homesText(read));
    try {
      return await judged(parts, findTarget(read, { words: named }));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return refused(error.hint === undefined ? `${error.message}.` : `${error.message}; ${error.hint}.`);
    }
  };
}

async function judged(parts: WorksParts, { account, address, label }: Target): Promise<HandoffFound> {
  const { store, wish } = parts;
  if (address.chatType !== "dm") return refused(`${label} is no direct chat; a conversation goes on in one of yours.`);
  const { createAccess } = await import("#gateway/access/create-access.js");
  const routeKey = sessionKey(address);
  const route = await store.route({ key: routeKey });
  // On some platforms a direct chat has another id than the person in it; who wrote there last tells.
  const sender = route?.origin?.userId ?? address.chatId;
  const verdict = await createAccess({ store, clock: wish.clock }).judgeSender(account, { id: sender });
  if (verdict.kind !== "known" || verdict.person.role !== "owner") {
    const key = `platforms.${account.kind.name}.owners`;
    return refused(`${label} is not known as a chat of yours: write there once, and name yourself in ${key}.`);
  }
  return { kind: "found", platform: account.kind.name, routeKey, address: { ...address, userId: sender }, label };
}

function onlyHome({ accounts }: ReadAccounts): string | undefined {
  const homes = homesIn(accounts);
  return homes.length === 1 ? homes[0] : undefined;
}

function homesIn(accounts: ReadAccounts["accounts"]): readonly string[] {
  const homes = accounts.filter(({ homeChat }) => homeChat !== undefined);
  return homes.map(({ kind, name }) => spellAccount({ platform: kind.name, account: name }));
}

function homesText({ accounts }: ReadAccounts): string {
  const homes = homesIn(accounts);
  if (homes.length > 0) return `Say where: ${homes.map((name) => `/handoff ${name}`).join(", ")}.`;
  return "No platform has a home chat. Set platforms.NAME.home in config.yaml, or say where: /handoff telegram:42.";
}

function refused(why: string): HandoffFound {
  return { kind: "refused", why };
}

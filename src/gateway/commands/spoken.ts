/** A command as it was said, with all that running it needs: from a message, or from its row after a death. */
import type { ChatCommandId } from "#base/ids.js";
import type { Address } from "#session/address.js";
import { isShared, type SessionKeyRules } from "#session/session-key.js";
import type { ChatCommandRow } from "#session/verbs/chat.js";
import type { Inbound, RouteTarget } from "#session/verbs/intake.js";
import type { Access } from "../access/access.js";
import { senderOf } from "../address.js";
import type { Account } from "../gateway.js";
import type { Heard, KnownPerson } from "../heard.js";
import { spokenBy } from "../speaker.js";

export interface Spoken {
  readonly command: ChatCommandId;
  readonly account: Account;
  readonly address: Address;
  readonly key: string;
  readonly person: KnownPerson;
  readonly eventId: string;
  /** A line with a slash, or the token of an answer. */
  readonly line: string;
}

export function spokenNow(
  { account, incoming, address, key, person }: Heard,
  command: ChatCommandId,
  line: string,
): Spoken {
  return { command, account, address, key, person, eventId: incoming.eventId, line };
}

/** Undefined when who said it may not speak any more, or the account is gone: nothing is run for them. */
export async function spokenBefore(
  row: ChatCommandRow,
  accounts: readonly Account[],
  access: Access,
): Promise<Spoken | undefined> {
  const { id: command, address, routeKey: key, eventId, line } = row;
  const account = accounts.find(({ kind, name }) => kind.name === row.platform && name === row.account);
  const sender = senderOf(address);
  if (account === undefined || sender === undefined) return undefined;
  const verdict = await access.judgeSender(account, sender);
  if (verdict.kind === "stranger") return undefined;
  return { command, account, address, key, person: verdict.person, eventId, line };
}

export function authorOf({ address, person }: Spoken): NonNullable<Inbound["author"]> {
  const { userId = "", userName = person.name } = address;
  return { account: userId, ...(userName === undefined ? {} : { name: userName }) };
}

export function routeOf({ account, address, key }: Spoken): RouteTarget {
  const { chatType, chatName } = address;
  return {
    kind: "route",
    key,
    chatType,
    policy: account.resetPolicy(chatType),
    ...(chatName === undefined ? {} : { name: chatName }),
  };
}

/** Where several people talk in one conversation each line names its speaker. */
export function signed({ address, person }: Spoken, rules: SessionKeyRules, text: string): string {
  if (!isShared(address, rules) || text === "") return text;
  return spokenBy(address.userName ?? person.name ?? address.userId ?? "", text);
}

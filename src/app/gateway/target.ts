/**
 * `telegram:42[:thread]`, or `telegram` for its home chat, as somebody names where a message goes; `irc@libera:#ops` names
 * the account as well.
 */
import { UserError } from "#base/errors.js";
import { nearest } from "#config/nearest.js";
import type { Account } from "#gateway/gateway.js";
import { builtInPlatforms } from "#platform/registry.js";
import { type Address, parseAccount, spellAccount } from "#session/address.js";
import type { ReadAccounts } from "./read-accounts.js";

export interface Target {
  readonly account: Account;
  readonly address: Address & { readonly chatId: string };
  /** As it is said to a person. */
  readonly label: string;
}

export interface TargetWish {
  /** As typed. */
  readonly words: string;
  /** Which of our accounts there; the only one, or `main`, unless told. */
  readonly account?: string;
}

const USAGE = 2;
const WORDS_CHARS_MAX = 1_000;

/** A UserError when it leads nowhere. */
export function findTarget(read: ReadAccounts, { words, account: wanted }: TargetWish): Target {
  const [where = "", ...ids] = words.slice(0, WORDS_CHARS_MAX).split(":");
  const [chat, thread, ...more] = ids.map(decode);
  const named = parseAccount(where);
  if (named === undefined || more.length > 0 || chat === "" || thread === "") {
    throw new UserError(`“${words}” names no chat`, "write platform:chat, for example telegram:42 or irc:#ops", USAGE);
  }
  const { platform } = named;
  const typed = where.includes("@") ? named.account : wanted;
  if (wanted !== undefined && typed !== wanted) {
    throw new UserError(`“${where}” is not the account ${wanted}, and nothing was sent`, "name it once", USAGE);
  }
  const account = findAccount(read, platform, typed);
  const chatId = chat ?? account.homeChat;
  if (chatId === undefined) {
    throw new UserError(
      `${platform} has no home chat`,
      `name a chat, ${platform}:ID, or set platforms.${platform}.home`,
      USAGE,
    );
  }
  const address = {
    platform,
    account: account.name,
    chatType: chatTypeOf(platform, chatId),
    chatId,
    ...(thread === undefined ? {} : { threadId: thread }),
  };
  const label = [spellAccount(address), chatId, ...(thread === undefined ? [] : [thread])].join(":");
  return { account, address, label };
}

/** A colon inside of an id is written as %3A. */
function decode(part: string): string {
  return part.replace(/%(25|3A)/gi, (_, code: string) => (code === "25" ? "%" : ":"));
}

function findAccount({ accounts, problems }: ReadAccounts, platform: string, wanted: string | undefined): Account {
  const there = accounts.filter(({ kind }) => kind.name === platform);
  const found =
    wanted === undefined
      ? (there.find(({ name }) => name === "main") ?? (there.length === 1 ? there[0] : undefined))
      : there.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const wrong = problems.find((one) => one.platform === platform && one.isRefusal);
  if (wrong !== undefined) throw new UserError(wrong.text, "nothing was sent; talaria gateway check tells more");
  if (there.length > 0) {
    const names = there.map(({ name }) => name).join(", ");
    if (wanted !== undefined) {
      throw new UserError(`${platform} has no account ${wanted}, and nothing was sent`, `there are: ${names}`, USAGE);
    }
    const hint = `for example ${there.map(({ name }) => spellAccount({ platform, account: name }))[0]}:CHAT`;
    throw new UserError(`say which account on ${platform}: ${names}`, hint, USAGE);
  }
  throw notThere(platform);
}

function notThere(platform: string): UserError {
  const names = builtInPlatforms();
  if (names.includes(platform)) {
    const hint = `add it to config.yaml under platforms; docs/guide/${platform}.md tells how`;
    return new UserError(`${platform} is not configured, and nothing was sent`, hint, USAGE);
  }
  const meant = nearest(platform, names);
  const hint = meant === undefined ? `there are: ${names.join(", ")}` : `did you mean ${meant}?`;
  return new UserError(`there is no platform ${platform}, and nothing was sent`, hint, USAGE);
}

/** Only the line in which messages wait, and how an adapter calls the place, hang on it; the id says the rest. */
function chatTypeOf(platform: string, chatId: string): string {
  if (chatId.startsWith("#") || chatId.startsWith("&")) return "channel";
  return platform === "telegram" && chatId.startsWith("-") ? "group" : "dm";
}

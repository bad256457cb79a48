/**
 * Where something is said. An Address is what an adapter knows about a message's origin; it decides
 * nothing about sessions. The part of it that a Route is keyed by is built in `session-key.ts`.
 *
 * Two accounts of ours on one platform may be two worlds (two IRC networks, two workspaces), in which the same id names
 * different chats and different people. So a chat and a person are named by platform, account and id [GW-23].
 */

/** The account of a platform that has one, or that says nothing else. */
export const MAIN_ACCOUNT = "main";

/** `dm` is private by nature; everything else may have several people in it. */
export type ChatType = string;

export interface Address {
  readonly platform: string;
  /** Which of our accounts on that platform received it; absent is `main`, as most people have one. */
  readonly account?: string;
  readonly chatType: ChatType;
  readonly chatId?: string;
  readonly chatName?: string;
  readonly threadId?: string;
  readonly userId?: string;
  readonly userName?: string;
  /** A stable identity that outlives a change of `userId` (Signal UUID, Feishu union id); wins over it. */
  readonly userIdAlt?: string;
  readonly profile?: string;
}

/** One of our accounts. */
export interface PlatformAccount {
  readonly platform: string;
  readonly account: string;
}

/**
 * An account in one word, as keys spell it and people read and type it: `irc` for the main one, else `irc@libera`. What
 * would make it ambiguous inside of a key is percent-encoded.
 */
export function spellAccount({ platform, account }: PlatformAccount): string {
  const names = account === MAIN_ACCOUNT ? [platform] : [platform, account];
  return names.map((name) => name.replace(/[%:@]/g, (sign) => ENCODED[sign] ?? sign)).join("@");
}

/** Undefined for text that names none. People may write `irc@main`, too. */
export function parseAccount(text: string): PlatformAccount | undefined {
  const [platform = "", account = MAIN_ACCOUNT, ...more] = text.split("@").map(decodeName);
  return platform === "" || account === "" || more.length > 0 ? undefined : { platform, account };
}

const ENCODED: Readonly<Record<string, string>> = { "%": "%25", ":": "%3A", "@": "%40" };

function decodeName(text: string): string {
  return text.replace(/%(25|3A|40)/g, (code) => decodeURIComponent(code));
}

/** The line in which deliveries to this place keep their order. */
export function destinationOf(address: Address): string {
  const parts = [
    address.platform,
    address.account,
    address.chatId || address.userIdAlt || address.userId,
    address.threadId,
  ];
  return parts.map((part) => encodeURIComponent(part ?? "")).join("/");
}

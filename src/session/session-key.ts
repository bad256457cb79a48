/**
 * Session keys: the one builder and the one parser.
 *
 *   agent:<namespace>:<platform>[@<account>]:<chat type>[:<chat>][:<thread>][:<participant>]
 *
 * [RI-19] Segments may hold any character a platform uses. A colon or percent sign inside a segment is
 * percent-encoded, so that `parse(format(parts))` is `parts` for all text; keys of platforms whose ids
 * have neither are spelled as the reference system spells them. Empty text is the absence of an id: two people
 * whose adapter knows no chat id must not meet in one conversation.
 *
 * [GW-23] The same chat id in two accounts of ours is two chats. An account that is not `main` stands behind its platform
 * (`irc@libera`) and not in a segment of its own: so keys of the main account have as many segments, and the same ones,
 * as those of the reference, and no reader has to guess whether a segment is an account or a chat type.
 */
import { type Address, MAIN_ACCOUNT, parseAccount, spellAccount } from "./address.js";

export interface SessionKeyParts {
  readonly namespace: string;
  readonly platform: string;
  /** Of ours, there. */
  readonly account: string;
  readonly chatType: string;
  /** Chat, thread and participant, as far as the rules put them into the key. */
  readonly rest: readonly string[];
}

export interface SessionKeyRules {
  /** A group without a thread is one conversation per person. */
  readonly groupSessionsPerUser: boolean;
  /** A thread is one conversation per person instead of one for all. */
  readonly threadSessionsPerUser: boolean;
  /** Set when several profiles share the platforms: the profile becomes the namespace. */
  readonly multiplexProfiles?: boolean;
  readonly activeProfile?: string;
  /** Every alias a WhatsApp number is known by; the shortest, then smallest, names the person. */
  readonly whatsappAliases?: (bareId: string) => readonly string[];
}

export const DEFAULT_KEY_RULES: SessionKeyRules = { groupSessionsPerUser: true, threadSessionsPerUser: false };

export function sessionKey(address: Address, rules: SessionKeyRules = DEFAULT_KEY_RULES): string {
  return formatSessionKey(keyParts(address, rules));
}

export function formatSessionKey(parts: SessionKeyParts): string {
  const [namespace, chatType, ...rest] = [parts.namespace, parts.chatType, ...parts.rest].map(encodeSegment);
  return ["agent", namespace, spellAccount(parts), chatType, ...rest].join(":");
}

/** Undefined for text that no builder made. */
export function parseSessionKey(key: string): SessionKeyParts | undefined {
  const [agent, namespace, where, chatType, ...rest] = key.split(":");
  const account = parseAccount(where ?? "");
  if (agent !== "agent" || !namespace || account === undefined || !chatType) return undefined;
  return {
    namespace: decodeSegment(namespace),
    ...account,
    chatType: decodeSegment(chatType),
    rest: rest.map(decodeSegment),
  };
}

/** True when several people talk in one conversation, so each line must name its speaker. */
export function isShared(address: Address, rules: SessionKeyRules = DEFAULT_KEY_RULES): boolean {
  return address.chatType !== "dm" && !isPerPerson(address, rules);
}

function keyParts(address: Address, rules: SessionKeyRules): SessionKeyParts {
  const person = identity(address, address.userIdAlt || address.userId, rules);
  const rest =
    address.chatType === "dm"
      ? directRest(address, person, rules)
      : [address.chatId, address.threadId, isPerPerson(address, rules) ? person : undefined];
  return {
    namespace: namespaceOf(address, rules),
    platform: address.platform,
    account: address.account || MAIN_ACCOUNT,
    chatType: address.chatType,
    rest: rest.filter(isPresent),
  };
}

/** A direct chat is named by its chat, else by the person, else by the thread alone. */
function directRest(address: Address, person: string | undefined, rules: SessionKeyRules): (string | undefined)[] {
  return [identity(address, address.chatId, rules) || person, address.threadId];
}

function isPerPerson(address: Address, rules: SessionKeyRules): boolean {
  return isPresent(address.threadId) && !rules.threadSessionsPerUser ? false : rules.groupSessionsPerUser;
}

function namespaceOf(address: Address, rules: SessionKeyRules): string {
  if (!rules.multiplexProfiles) return "main";
  const profile = address.profile || rules.activeProfile || "";
  return profile === "" || profile === "default" ? "main" : profile;
}

/** WhatsApp gives one person several ids; all of them must lead to one key. */
function identity(address: Address, id: string | undefined, rules: SessionKeyRules): string | undefined {
  if (!isPresent(id) || address.platform !== "whatsapp") return id;
  const bare = bareWhatsappId(id);
  const aliases = /^[A-Za-z0-9@.+-]+$/.test(bare) ? (rules.whatsappAliases?.(bare) ?? []) : [];
  return [bare, ...aliases.map(bareWhatsappId)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
}

function bareWhatsappId(id: string): string {
  return id.replace(/^\+/, "").replace(/@.*$/s, "").replace(/:.*$/s, "");
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function encodeSegment(segment: string): string {
  return segment.replace(/[%:]/g, (character) => (character === "%" ? "%25" : "%3A"));
}

function decodeSegment(segment: string): string {
  return segment.replace(/%(25|3A)/g, (_, code: string) => (code === "25" ? "%" : ":"));
}

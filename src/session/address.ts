/**
 * Where something is said. An Address is what an adapter knows about a message's origin; it decides
 * nothing about sessions. The part of it that a Route is keyed by is built in `session-key.ts`.
 */

/** `dm` is private by nature; everything else may have several people in it. */
export type ChatType = string;

export interface Address {
  readonly platform: string;
  /** Which of our accounts on that platform received it; most people have one. */
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

/** From what an adapter tells to where an answer goes, and back. The session key is built by the one builder. */
import type { Chat, Place, Sender } from "#platform/platform.js";
import type { Address } from "#session/address.js";
import type { Account } from "./gateway.js";

export function addressOf(account: Pick<Account, "kind" | "name">, chat: Chat, sender: Sender): Address {
  return {
    platform: account.kind.name,
    account: account.name,
    chatType: chat.type,
    chatId: chat.id,
    ...(chat.name === undefined ? {} : { chatName: chat.name }),
    ...(chat.threadId === undefined ? {} : { threadId: chat.threadId }),
    userId: sender.id,
    ...(sender.name === undefined ? {} : { userName: sender.name }),
    ...(sender.altId === undefined ? {} : { userIdAlt: sender.altId }),
  };
}

/** Who said something from there; undefined where nobody is known to have. */
export function senderOf({ userId: id, userIdAlt: altId, userName: name }: Address): Sender | undefined {
  if (id === undefined) return undefined;
  return { id, ...(altId === undefined ? {} : { altId }), ...(name === undefined ? {} : { name }) };
}

export function placeOf(address: Address): Place {
  const { chatType, chatId, chatName, threadId, userId } = address;
  const type = chatType === "group" || chatType === "channel" || chatType === "thread" ? chatType : "dm";
  return {
    chat: {
      type,
      id: chatId ?? userId ?? "",
      ...(chatName === undefined ? {} : { name: chatName }),
      ...(threadId === undefined ? {} : { threadId }),
    },
    ...(userId === undefined ? {} : { userId }),
  };
}

/** From a line of IRC to a message, or to nothing: what we said ourselves, notices and requests between clients are left. */
import type { IrcMessage } from "irc-framework";
import { heardText, withoutName } from "../format-heard.js";
import type { Incoming } from "../platform.js";
import { channelIn, folded, isSameName, withoutColours } from "./names.js";

const CTCP = "\x01";

/** `newId` names an event that the server gives no name to. */
export function incomingOf(message: IrcMessage, nick: string, newId: () => string): Incoming | undefined {
  if (message.command !== "PRIVMSG" || message.nick === "" || isSameName(message.nick, nick)) return undefined;
  const [target = "", said = ""] = message.params;
  if (said.startsWith(CTCP)) return undefined;
  const text = heardText(withoutColours(said));
  if (text.trim() === "") return undefined;
  const id = message.tags["msgid"];
  // What is played back from before we came has an answer already, or none; without a name of its own nobody can tell.
  if (message.tags["batch"] !== undefined && (id === undefined || id === "")) return undefined;
  const channel = channelIn(target);
  const named = withoutName(text, nick);
  const sender = senderOf(message);
  return {
    eventId: id === undefined || id === "" ? newId() : `msgid:${id}`,
    chat:
      channel === undefined
        ? // By the mask: whoever takes a nick takes nobody's conversation with it.
          { type: "dm", id: sender.id, name: message.nick }
        : { type: "group", id: folded(channel), name: channel },
    sender,
    text: channel === undefined ? text : named.text,
    isAddressed: channel === undefined || named.isNamed,
  };
}

/** The mask, for want of anything lasting: an allow list is of masks. An account, where the server tells it, outlives it. */
function senderOf({ nick, ident, hostname, tags }: IrcMessage): Incoming["sender"] {
  const account = tags["account"];
  return {
    id: `${folded(nick)}!${ident}@${folded(hostname)}`,
    ...(account === undefined || account === "" || account === "*" ? {} : { altId: `account:${account}` }),
    name: nick,
  };
}

/**
 * Commands of chats: stored, run beside whatever the agent does, answered through the outbox. What is held in memory is
 * only who waits for whom; the rows know what has no answer yet.
 */
import { OperationalError } from "#base/errors.js";
import { parseLine } from "#command/parse.js";
import type { Access } from "../access/access.js";
import { createAccess } from "../access/create-access.js";
import type { GatewayParts } from "../gateway.js";
import { tellChat } from "../receipts.js";
import { RECEIPTS } from "../words.js";
import { parseApprovalToken } from "./approval-token.js";
import type { ChatCommands } from "./chat-commands.js";
import { commandsOver, keep, openDesk, recover } from "./desk.js";
import { standingOf } from "./menu.js";
import { answerLine, decide } from "./questions.js";

export function createChatCommands(parts: GatewayParts, access: Access = createAccess(parts)): ChatCommands {
  const desk = openDesk(parts, access);
  return {
    isCommand: ({ incoming, person }) => parseLine(incoming.text, standingOf(parts, person)).kind !== "message",
    async take(heard) {
      if (await keep(desk, heard, heard.incoming.text)) return;
      await tellChat(parts, heard, RECEIPTS.tooLong);
    },
    async asAnswer(heard, before) {
      const { account, incoming, key: routeKey } = heard;
      const event = { platform: account.kind.name, account: account.name, eventId: incoming.eventId };
      const look = () => parts.store.openQuestion({ routeKey, ...event });
      let seen = before ?? (await look());
      if (seen.isKnown) return true;
      if (seen.queued > 0) {
        await commandsOver(desk, routeKey);
        seen = await look();
      }
      const line = seen.question === null ? undefined : answerLine(heard, seen.question);
      return line === undefined ? false : keep(desk, heard, line);
    },
    async press(_account, person, { token }) {
      const wanted = parseApprovalToken(token);
      if (wanted === undefined) return "That button does nothing any more.";
      return decide(parts, person, wanted).catch((error: unknown) => {
        if (error instanceof OperationalError) return `Not now: ${error.message}`;
        throw error;
      });
    },
    recover: () => recover(desk),
    rest: () => desk.lanes.rest(),
  };
}

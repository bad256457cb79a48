/** A message that arrives in a chat: what several readings would tell, told by one. It adds nothing of its own to them. */
import type { ArrivalVerbs } from "#session/verbs/arrival.js";
import { isBusy } from "../acts.js";
import type { Tx, VerbTable } from "../tx.js";
import { chatVerbs } from "./chat.js";
import { routeVerbs } from "./routes.js";

export const arrivalVerbs: VerbTable<ArrivalVerbs> = {
  arrival(tx, { sender, altId, nowMs, ...event }) {
    const { platform, account, routeKey } = event;
    return {
      access: chatVerbs.access(tx, { platform, account, sender, ...(altId === undefined ? {} : { altId }), nowMs }),
      route: routeVerbs.route(tx, { key: routeKey }),
      asked: chatVerbs.openQuestion(tx, event),
      isQuiet: isQuiet(tx, routeKey),
    };
  },
};

function isQuiet(tx: Tx, routeKey: string): boolean {
  const route = tx.db.get<{ conversation: number }>("SELECT conversation FROM route WHERE key = ?", routeKey);
  return route === undefined || !isBusy(tx, route.conversation);
}

/** What has to be known before a message of a chat is taken, read at one moment. */

import type { AccessFacts, ChatVerbs } from "./chat.js";
import type { Route } from "./routes.js";

export interface Arrival {
  /** As `access` answers it. */
  readonly access: AccessFacts;
  /** Of the chat; null: it leads nowhere yet. */
  readonly route: Route | null;
  /** As `openQuestion` answers it. */
  readonly asked: ReturnType<ChatVerbs["openQuestion"]>;
  /** Nothing is queued where the chat leads, and no turn is open there, running or waiting. */
  readonly isQuiet: boolean;
}

export interface ArrivalVerbs {
  /** Who speaks, where that leads, what is open there: one reading, because every message pays for it. */
  arrival(args: Parameters<ChatVerbs["access"]>[0] & Parameters<ChatVerbs["openQuestion"]>[0]): Arrival;
}

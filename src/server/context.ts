/** What handlers share: the parts of the host, the blanks, the renderer, and who is attached to what. */
import type { ConversationId } from "#base/ids.js";
import type { Blanks } from "./blanks.js";
import type { Connections } from "./connections.js";
import type { Panels } from "./panel.js";
import type { ServerParts } from "./parts.js";
import type { Renderer } from "./render.js";

export interface ServerContext extends ServerParts {
  readonly blanks: Blanks;
  readonly connections: Connections;
  readonly renderer: Renderer;
  readonly panels: Panels;
  /** Sessions in which something is being said without an id of the client's own: a second one meanwhile is refused. */
  readonly speaking: Set<string>;
}

/** Where our own clients and every terminal client say things from. */
export const TERMINAL_ACCOUNT = "local";
export const TERMINAL_SOURCE = "tui";

export type { ConversationId };

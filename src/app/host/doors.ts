/** Where clients come in: the home's socket always, a port of this machine when the settings ask for one. */
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { HomePaths } from "#config/home.js";
import { listenOnSocket } from "#server/transport/socket.js";
import type { Health } from "#server/transport/websocket.js";
import type { Wire } from "#server/wire.js";

export interface DoorsWish {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Logger;
  /** Zero: no port. */
  readonly port: number;
  accept(wire: Wire): void;
  health(): Health;
}

export interface Doors {
  open(): Promise<void>;
  /** Whoever is in stays in. */
  close(): Promise<void>;
}

interface Listening {
  close(): Promise<void>;
}

export function createDoors(wish: DoorsWish): Doors {
  const { home, env, clock } = wish;
  let open: Listening[] = [];
  return {
    async open() {
      const accept = (wire: Wire): void => wish.accept(wire);
      open.push(await listenOnSocket({ path: home.hostSocket, clock, accept, env }));
      if (wish.port > 0) await openPort(wish).then((listening) => listening && open.push(listening));
    },
    async close() {
      const closing = open;
      open = [];
      await Promise.all(closing.map((listening) => listening.close()));
    },
  };
}

/** A port that another program has is no reason to leave the terminal's clients alone. */
async function openPort({ home, clock, log, port, accept, health }: DoorsWish): Promise<Listening | undefined> {
  const [{ listenOnWebSocket }, { readOrMakeToken }] = await Promise.all([
    import("#server/transport/websocket.js"),
    import("#server/transport/token.js"),
  ]);
  try {
    const token = await readOrMakeToken(join(home.run, "token"));
    const listening = await listenOnWebSocket({ port, clock, token, accept: (wire) => accept(wire), health });
    log.info("listening", { address: listening.address, port: listening.port });
    return listening;
  } catch (error) {
    log.error("the port cannot be used", { port, error: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

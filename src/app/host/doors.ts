/** Where clients come in: the home's socket always, a port of this machine when the settings ask for one. */
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { HomePaths } from "#config/home.js";
import type { ServePlatform } from "#server/transport/platform-door.js";
import { listenOnSocket, type SocketListening } from "#server/transport/socket.js";
import type { Health, WebSocketListening } from "#server/transport/websocket.js";
import type { Wire } from "#server/wire.js";

const LOOPBACK = "127.0.0.1";

export interface DoorsWish {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Logger;
  /** Zero: no port. */
  readonly port: number;
  accept(wire: Wire): void;
  health(): Health;
  /** Requests of platforms; absent in a host that has none. */
  readonly platforms?: ServePlatform;
}

/** Null: no port is asked for. With an error nobody listens there. */
export type PagesStanding = { readonly address: string; readonly port: number; readonly error: string | null } | null;

export interface Doors {
  open(): Promise<void>;
  pages(): PagesStanding;
  /** What a person should know, one sentence each. */
  notes(): readonly string[];
  /** No new clients; whoever is in stays in. Platforms call on, and health is told, by the port. */
  shut(): Promise<void>;
  /** Nobody gets in any more, and the port is free. Whoever is in stays in. */
  close(): Promise<void>;
}

type OpenedPort =
  | { readonly kind: "listening"; readonly listening: WebSocketListening }
  | { readonly kind: "failed"; readonly why: string };

export function createDoors(wish: DoorsWish): Doors {
  const { home, env, clock } = wish;
  let socket: SocketListening | undefined;
  let port: WebSocketListening | undefined;
  let pages: PagesStanding = null;
  let opening: Promise<void> = Promise.resolve();
  const open = async (): Promise<void> => {
    // The port first: whoever comes in by the socket is told truly whether it is open.
    if (wish.port > 0) {
      const opened = await openPort(wish);
      pages = { address: LOOPBACK, port: wish.port, error: opened.kind === "failed" ? opened.why : null };
      if (opened.kind === "listening") port = opened.listening;
    }
    socket = await listenOnSocket({ path: home.hostSocket, clock, accept: (wire) => wish.accept(wire), env });
  };
  const shut = async (): Promise<void> => {
    // What is being opened would stay open behind our back; that it failed is told to whoever opens.
    await Promise.allSettled([opening]);
    port?.shut();
    const closing = socket;
    socket = undefined;
    await closing?.close();
  };
  return {
    open() {
      opening = open();
      return opening;
    },
    pages: () => pages,
    notes: () =>
      pages === null || pages.error === null
        ? []
        : [`port ${pages.port} is not open for pages and editors: ${pages.error}`],
    shut,
    async close() {
      try {
        await shut();
      } finally {
        const closing = port;
        port = undefined;
        await closing?.close();
      }
    },
  };
}

/** A port that another program has is no reason to leave the terminal's clients alone. */
async function openPort({ home, clock, log, port, accept, health, platforms }: DoorsWish): Promise<OpenedPort> {
  const [{ listenOnWebSocket }, { readOrMakeToken }] = await Promise.all([
    import("#server/transport/websocket.js"),
    import("#server/transport/token.js"),
  ]);
  try {
    const token = await readOrMakeToken(join(home.run, "token"));
    const listening = await listenOnWebSocket({
      port,
      clock,
      token,
      accept: (wire) => accept(wire),
      health,
      ...(platforms && { platforms }),
    });
    log.info("listening", { address: listening.address, port: listening.port });
    return { kind: "listening", listening };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
    const why = cause?.code === "EADDRINUSE" ? "another program has it" : messageOf(error);
    log.error("the port cannot be used", { port, error: messageOf(error) });
    return { kind: "failed", why };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

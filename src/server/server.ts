/**
 * The server: every client of a host, by whatever wire it came. It checks what is sent, asks the handler of the method,
 * and answers; a mistake of a client is an error frame to that client and nothing else. It owns no conversation: those
 * live in the runtime, and go on when every client has gone.
 */
import { rpcError } from "#protocol/error-codes.js";
import { errorFrame, parseFrame } from "#protocol/frame.js";
import { answer } from "./answer.js";
import { createBlanks } from "./blanks.js";
import { Connection } from "./connection.js";
import { createConnections } from "./connections.js";
import type { ServerContext } from "./context.js";
import { lostClient } from "./leaving.js";
import { createPanels } from "./panel.js";
import type { ServerParts } from "./parts.js";
import { createRenderer } from "./render.js";
import type { Wire } from "./wire.js";

/** Requests of one client that may be under way at once; more are refused, not queued. */
export const REQUESTS_AT_ONCE = 256;

export interface Server {
  serve(wire: Wire): void;
  connections(): number;
  /** Tells every client and ends its line. */
  stop(): void;
}

export function createServer(parts: ServerParts): Server {
  const panels = createPanels(parts);
  const renderer = createRenderer(panels, parts.log);
  const connections = createConnections();
  const server: ServerContext = {
    ...parts,
    panels,
    renderer,
    connections,
    blanks: createBlanks(),
    speaking: new Set(),
  };
  return {
    serve: (wire) => serve(server, wire),
    connections: () => connections.count(),
    stop() {
      for (const connection of connections.all()) connection.end("shutting-down");
    },
  };
}

function serve(server: ServerContext, wire: Wire): void {
  const connection = new Connection(wire, server);
  server.connections.add(connection);
  let underWay = 0;
  wire.listen({
    frame(text) {
      const incoming = parseFrame(text);
      if (incoming.kind === "refused") return connection.send(errorFrame(incoming.id, incoming.error));
      if (underWay >= REQUESTS_AT_ONCE) {
        return connection.send(errorFrame(incoming.id, rpcError("queueFull", "too many requests at once; wait")));
      }
      underWay++;
      void answer(server, connection, incoming).finally(() => {
        underWay--;
      });
    },
    gone() {
      connection.leave();
      server.connections.remove(connection);
      lostClient(server, connection);
    },
  });
  connection.event({ type: "gateway.ready", payload: { skin: {} } });
}

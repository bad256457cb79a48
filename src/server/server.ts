/**
 * The server: every client of a host, by whatever wire it came. It checks what is sent, asks the handler of the method,
 * and answers; a mistake of a client is an error frame to that client and nothing else. It owns no conversation: those
 * live in the runtime, and go on when every client has gone.
 */
import { faultPoint } from "#base/fault.js";
import { type RpcError, rpcError } from "#protocol/error-codes.js";
import { errorFrame, parseFrame, type RequestFrame, resultFrame } from "#protocol/frame.js";
import { isMethodName, METHODS, type MethodName, type Params } from "#protocol/methods.js";
import { Connection } from "./connection.js";
import { createConnections } from "./connections.js";
import type { ServerContext } from "./context.js";
import { createDrafts } from "./drafts.js";
import { errorOf } from "./failure.js";
import type { Call, Handler } from "./handler.js";
import { lostClient } from "./leaving.js";
import { HANDLERS } from "./methods/table.js";
import { createPanels } from "./panel.js";
import type { ServerParts } from "./parts.js";
import { createRenderer } from "./render.js";
import { unavailable } from "./unavailable.js";
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
  const server: ServerContext = { ...parts, panels, renderer, connections, drafts: createDrafts() };
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

async function answer(server: ServerContext, connection: Connection, request: RequestFrame): Promise<void> {
  const later: (() => void)[] = [];
  const call: Call = { connection, signal: connection.signal, after: (act) => void later.push(act) };
  const { id, method } = request;
  const frame = await resultOf(server, request, call).then(
    (result) => resultFrame(id, result),
    (error: unknown) => errorFrame(id, told(server, method, error)),
  );
  faultPoint("server.before-answer");
  connection.send(frame);
  for (const act of later) act();
}

async function resultOf(
  server: ServerContext,
  { method, params }: RequestFrame,
  call: Call,
): Promise<Record<string, unknown>> {
  if (!isMethodName(method)) return unavailable(method);
  const checked = METHODS[method].params.safeParse(params);
  if (!checked.success) throw new BadParams(method, checked.error.issues[0]);
  const handler = HANDLERS[method] as Handler<MethodName>;
  return handler(server, checked.data as Params<MethodName>, call);
}

class BadParams extends Error {
  constructor(method: string, issue: { readonly path: PropertyKey[]; readonly message: string } | undefined) {
    const where = issue === undefined || issue.path.length === 0 ? "" : ` ${issue.path.join(".")}:`;
    super(`${method}:${where} ${issue?.message ?? "these parameters cannot be read"}`);
  }
}

function told({ log }: ServerContext, method: string, error: unknown): RpcError {
  if (error instanceof BadParams) return rpcError("badParams", error.message);
  const known = errorOf(error);
  if (known !== undefined) return known;
  log.error("a method failed", {
    method,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return rpcError("handlerFailed", `${method} failed; the log says more, and nothing that was stored is lost`);
}

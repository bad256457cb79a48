/** How a method is written: parameters that are checked already in, a result in, and what is sent after the answer. */
import type { MethodName, Params, Result } from "#protocol/methods.js";
import type { Connection } from "./connection.js";
import type { ServerContext } from "./context.js";

export interface Call {
  readonly connection: Connection;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Done when the answer is on its way: events that a client would lose before it. */
  after(act: () => void): void;
}

export type Handler<M extends MethodName> = (
  server: ServerContext,
  params: Params<M>,
  call: Call,
) => Promise<Result<M>> | Result<M>;

export type Handlers = { readonly [M in MethodName]: Handler<M> };
/** Of one file: the methods whose schemas stand in the file of the same name. */
export type HandlersOf<M extends MethodName> = { readonly [K in M]: Handler<K> };

/** An answer that says no: thrown by a handler, sent as the error of its call. Anything else thrown is a failure of ours. */
import { OperationalError, UserError } from "#base/errors.js";
import { type ErrorName, type RpcError, rpcError } from "#protocol/error-codes.js";

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly error: RpcError;
  constructor(error: ErrorName | number, message: string) {
    super(message);
    this.error = typeof error === "number" ? { code: error, message } : rpcError(error, message);
  }
}

/** What a client is told; undefined for a bug, which is logged whole and told in one word. */
export function errorOf(error: unknown): RpcError | undefined {
  if (error instanceof Refusal) return error.error;
  if (error instanceof UserError) {
    return rpcError("failed", error.hint === undefined ? error.message : `${error.message}; ${error.hint}`);
  }
  if (error instanceof OperationalError) {
    return rpcError(error.code === "host-stopping" ? "shuttingDown" : "failed", error.message);
  }
  return undefined;
}

export function refusalWith(error: RpcError): Refusal {
  return new Refusal(error.code, error.message);
}

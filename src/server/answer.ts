/** From a request to its answer: parameters checked, the handler asked, what went wrong told in the protocol's words. */
import { faultPoint } from "#base/fault.js";
import { type RpcError, rpcError } from "#protocol/error-codes.js";
import { errorFrame, type RequestFrame, resultFrame } from "#protocol/frame.js";
import { isMethodName, METHODS, type MethodName, type Params } from "#protocol/methods.js";
import type { Connection } from "./connection.js";
import type { ServerContext } from "./context.js";
import { errorOf } from "./failure.js";
import type { Call, Handler } from "./handler.js";
import { HANDLERS } from "./methods/table.js";
import { unavailable } from "./unavailable.js";

/** Never rejects: whatever a handler does, its client gets an answer and the others notice nothing. */
export async function answer(server: ServerContext, connection: Connection, request: RequestFrame): Promise<void> {
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

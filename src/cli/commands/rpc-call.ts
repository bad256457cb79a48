/** `talaria rpc call`: one method of the host, for people and scripts. */
import { OperationalError, UserError } from "#base/errors.js";
import { visibleLines } from "#base/text-width.js";
import { type HostLine, RpcError } from "#client/host-line.js";
import { greetHost, reachHost } from "#client/start-host.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import type { MethodName } from "#protocol/methods.js";
import type { CliContext } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { hostWish } from "../host-wish.js";

export interface HostCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly isStarting: boolean;
}

export async function callHost(context: CliContext, call: HostCall): Promise<void> {
  const { method, params, timeoutMs, isStarting } = call;
  const line = isStarting ? await reach(context) : await greet(context);
  try {
    // Names and parameters are the person's own: the host says what it thinks of them.
    const result = await line.call(method as MethodName, params as never, { timeoutMs, signal: context.signal });
    if (context.out.json) context.out.document(result);
    else context.out.line(visibleLines(JSON.stringify(result, null, 2)));
  } catch (error) {
    throw error instanceof RpcError ? refusal(method, error) : error;
  } finally {
    line.close();
  }
}

async function reach(context: CliContext): Promise<HostLine> {
  context.prepareHome();
  return (await reachHost(hostWish(context, "talaria-cli rpc call"))).line;
}

async function greet(context: CliContext): Promise<HostLine> {
  try {
    return (await greetHost(hostWish(context, "talaria-cli rpc call"))).line;
  } catch (error) {
    if (!(error instanceof OperationalError) || error.code !== "no-host") throw error;
    throw new UserError("no host runs in this home", "without --no-start one is started", EXIT["not-found"]);
  }
}

const EXITS: ReadonlyMap<number, ExitCode> = new Map<number, ExitCode>([
  [ERROR_CODES.unknownMethod, EXIT.usage],
  [ERROR_CODES.badParams, EXIT.usage],
  [ERROR_CODES.notLive, EXIT["not-found"]],
  [ERROR_CODES.notFound, EXIT["not-found"]],
]);

/** The host's own number is for programs: an exit code says less. */
class RefusedCall extends UserError {
  constructor(
    method: string,
    readonly rpcCode: number,
    message: string,
  ) {
    super(
      `${message.includes(method) ? message : `${method}: ${message}`} (${rpcCode})`,
      rpcCode === ERROR_CODES.unknownMethod ? "talaria rpc --schema names every method" : undefined,
      EXITS.get(rpcCode) ?? EXIT.failed,
    );
  }
}

function refusal(method: string, { code, message }: RpcError): UserError {
  return new RefusedCall(method, code, message);
}

/** `talaria rpc`: the wire protocol for other programs: on stdin and stdout, as a schema, or one call at a time. */
import { InvalidArgumentError } from "commander";
import { UserError } from "#base/errors.js";
import { addExamples, type CliContext, type Register } from "../command.js";
import { EXIT } from "../exit-codes.js";

const TIMEOUT_S_DEFAULT = 30;
const TIMEOUT_S_MAX = 86_400;

interface RpcOptions {
  readonly stdio?: boolean;
  readonly schema?: boolean;
}

interface CallWish {
  readonly timeout: number;
  readonly start: boolean;
}

export const register: Register = (command, context) => {
  command
    .description(
      "Speak the wire protocol: JSON-RPC 2.0, one object a line. A host is started when none runs, and it goes on when this ends.",
    )
    .option("--stdio", "frames on stdin and stdout until stdin ends; notes on stderr")
    .option("--schema", "print the JSON Schema of every frame, method and event")
    .action((options: RpcOptions) => runRpc(context, options));
  const call = command
    .command("call")
    .description("Call one method of the host and print its result.")
    .argument("<method>", "for example host.status")
    .argument("[params]", "its parameters, a JSON object", "{}")
    .option("--timeout <seconds>", "how long the host may take", parseSeconds, TIMEOUT_S_DEFAULT)
    .option("--no-start", "fail when no host runs, instead of starting one")
    .action((method: string, params: string, wish: CallWish) => runCall(context, { method, params, ...wish }));
  addExamples(call, [
    ["talaria rpc call host.status", "how the host is"],
    [`talaria rpc call session.list '{"limit":3}'`, "the three newest"],
    ["talaria rpc call host.status --no-start", "only if one runs"],
  ]);
  addExamples(command, [
    ["talaria rpc --stdio", "what an editor or a terminal client runs"],
    ["talaria rpc call host.status", "how the host is"],
    ["talaria rpc --schema > schema.json", "to generate types from"],
  ]);
};

async function runRpc(context: CliContext, { stdio, schema }: RpcOptions): Promise<void> {
  if (stdio === true && schema === true) {
    throw new UserError("--stdio and --schema do not go together", "give one of them", EXIT.usage);
  }
  if (schema === true) {
    const { schemaText } = await import("#protocol/schema-document.js");
    await context.out.write(schemaText());
  } else if (stdio === true) {
    const { runStdio } = await import("./rpc-stdio.js");
    await runStdio(context);
  } else {
    throw new UserError("say how: --stdio, --schema, or a call", "see talaria rpc --help", EXIT.usage);
  }
}

async function runCall(
  context: CliContext,
  call: CallWish & { readonly method: string; readonly params: string },
): Promise<void> {
  const { callHost } = await import("./rpc-call.js");
  const params = parseParams(call.params);
  await callHost(context, { method: call.method, params, timeoutMs: call.timeout * 1_000, isStarting: call.start });
}

function parseParams(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UserError("the parameters have to be a JSON object", `for example '{"limit":3}'`, EXIT.usage);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(
      `the parameters are no JSON: ${error instanceof Error ? error.message : String(error)}`,
      `for example '{"limit":3}', in single quotes`,
      EXIT.usage,
    );
  }
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= TIMEOUT_S_MAX)) throw new InvalidArgumentError(`expected 1 to ${TIMEOUT_S_MAX}`);
  return seconds;
}

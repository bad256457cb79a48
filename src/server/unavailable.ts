/** Methods without a handler: the empty answer their clients understand, or a clear no. */
import { UNAVAILABLE } from "#protocol/unavailable.js";
import { Refusal, refusalWith } from "./failure.js";

export function unavailable(method: string): Record<string, unknown> {
  const known = Object.hasOwn(UNAVAILABLE, method) ? UNAVAILABLE[method as keyof typeof UNAVAILABLE] : undefined;
  if (known === undefined) throw new Refusal("unknownMethod", `unknown method: ${method.slice(0, 100)}`);
  if (known.kind === "error") throw refusalWith(known.error);
  return { ...known.result };
}

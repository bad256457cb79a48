/**
 * Every method a host answers with more than an empty result: what may be sent, and exactly what comes back. The
 * methods of the terminal clients' protocol that have nothing behind them are in `unavailable.ts`.
 */
import type { z } from "zod";
import { attachMethods } from "./methods/attach.js";
import { configMethods } from "./methods/config.js";
import { hostMethods } from "./methods/host.js";
import { inputMethods } from "./methods/input.js";
import { promptMethods } from "./methods/prompt.js";
import { sessionMethods } from "./methods/session.js";
import { slashMethods } from "./methods/slash.js";
import { workMethods } from "./methods/work.js";

/** Raised when something is taken away or changes its meaning; additions leave it. */
export const PROTOCOL_NUMBER = 1;

export const METHODS = {
  ...sessionMethods,
  ...promptMethods,
  ...inputMethods,
  ...slashMethods,
  ...configMethods,
  ...workMethods,
  ...attachMethods,
  ...hostMethods,
} as const;

export type MethodName = keyof typeof METHODS;
/** As a handler gets them; a client that fills these in leaves nothing to defaults. */
export type Params<M extends MethodName> = z.output<(typeof METHODS)[M]["params"]>;
export type Result<M extends MethodName> = z.output<(typeof METHODS)[M]["result"]>;

/** In our own table: not `constructor`, not `__proto__`. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}

/** What a host refused, as a command tells it: in the host's words, with the exit code of its kind. */
import { UserError } from "#base/errors.js";
import type { RpcError } from "#client/host-line.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import { EXIT, type ExitCode } from "../exit-codes.js";

export class Refused extends UserError {
  constructor(
    /** As on the wire. */
    readonly code: number,
    message: string,
  ) {
    super(message, undefined, exitOf(code));
  }
}

export function asRefused({ code, message }: RpcError): Refused {
  return new Refused(code, message);
}

/** The conversation is not known there: a blank one of a host that is gone, or one that was deleted. */
export function isUnknown(error: unknown): boolean {
  return error instanceof Refused && (error.code === ERROR_CODES.notLive || error.code === ERROR_CODES.notFound);
}

const USAGE: ReadonlySet<number> = new Set([
  ERROR_CODES.badParams,
  ERROR_CODES.badArgument,
  ERROR_CODES.emptyText,
  ERROR_CODES.badPath,
  ERROR_CODES.badTitle,
  ERROR_CODES.agentFailed,
]);

function exitOf(code: number): ExitCode {
  if (USAGE.has(code)) return EXIT.usage;
  return code === ERROR_CODES.notLive || code === ERROR_CODES.notFound ? EXIT["not-found"] : EXIT.failed;
}

/**
 * The three kinds of failure, each with its own mechanism: a bug throws InvariantError, an expected
 * outcome is part of a return type, an outage throws OperationalError. There is no fourth.
 */

export type Retry = "never" | "immediately" | "after-delay";

/** The world failed us. Thrown at an I/O edge, caught once by the layer that owns the retry. */
export class OperationalError extends Error {
  override readonly name = "OperationalError";
  constructor(
    readonly code: string,
    readonly retry: Retry,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** We failed. Never caught below `app/`: the process dies and recovery takes over. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** The person asked for something that cannot be: shown as it is, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
  constructor(
    message: string,
    /** One line that says what to do next. */
    readonly hint?: string,
    /** The process's exit code when this ends a command. */
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

export function unreachable(value: never): never {
  throw new InvariantError(`unhandled variant: ${JSON.stringify(value)}`);
}

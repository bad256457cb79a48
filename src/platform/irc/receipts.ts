/**
 * Receipts on a platform that has none. Behind the lines of a send goes a PING with a token of its own. A server handles the
 * lines of a connection in order, so its PONG says that it has handled what stood before; an error about the target that
 * comes earlier belongs to the send, and a line that is lost before either leaves its outcome unknown [CT-4].
 */
import type { IrcMessage } from "irc-framework";
import type { SendOutcome } from "../platform.js";
import { isSameName } from "./names.js";

/** Answers that say: nobody has seen this, and nobody will. */
const REFUSALS: ReadonlySet<string> = new Set(
  "401 402 403 404 405 407 408 411 412 413 414 415 437 442 447 477 482 486 489 492 493 494 531 716".split(" "),
);
/** Come back later: too many targets in a short time, or the server is busy. */
const LATERS: ReadonlySet<string> = new Set(["263", "439", "707"]);
const LATER_MS = 10_000;

interface Pending {
  readonly token: string;
  readonly target: string;
  /** What the server said about it before its PONG. */
  verdict: SendOutcome | undefined;
  /** The server's own name of it, where it shows us what we said. */
  msgid: string | undefined;
  settle(outcome: SendOutcome): void;
}

export class Receipts {
  /** In the order in which they were written, which is the order of the answers. */
  readonly #pending: Pending[] = [];

  /** Waits for what the server says about the lines that are about to be written, and the PING behind them. */
  expect(target: string, token: string, signal: AbortSignal): Promise<SendOutcome> {
    return new Promise((resolve) => {
      const late = (): void => settle({ kind: "unknown", why: "the server did not answer in time" });
      const settle = (outcome: SendOutcome): void => {
        signal.removeEventListener("abort", late);
        const at = this.#pending.indexOf(pending);
        if (at !== -1) this.#pending.splice(at, 1);
        resolve(outcome);
      };
      const pending: Pending = { token, target, verdict: undefined, msgid: undefined, settle };
      signal.addEventListener("abort", late, { once: true });
      this.#pending.push(pending);
    });
  }

  /** A line of the server's; `nick` is ours. */
  take({ command, params, nick: from, tags }: IrcMessage, nick: string): void {
    if (command === "PONG") this.#conclude(params.at(-1) ?? "");
    else if (command === "PRIVMSG" && isSameName(from, nick)) this.#echo(params[0] ?? "", tags["msgid"]);
    else if (REFUSALS.has(command) || LATERS.has(command)) this.#judge(command, params);
  }

  /** The line is gone: whatever was written may have arrived. */
  lose(why: string): void {
    for (const { settle } of [...this.#pending]) settle({ kind: "unknown", why });
  }

  #conclude(token: string): void {
    const pending = this.#pending.find((one) => one.token === token);
    pending?.settle(pending.verdict ?? { kind: "sent", receipt: pending.msgid ?? token });
  }

  #echo(target: string, msgid: string | undefined): void {
    const pending = this.#pending.find((one) => isSameName(one.target, target));
    if (pending !== undefined && msgid !== undefined && msgid !== "") pending.msgid = msgid;
  }

  /** `:server 401 our-nick target :No such nick` */
  #judge(command: string, params: readonly string[]): void {
    const [, about = "", ...rest] = params;
    const pending =
      this.#pending.find((one) => isSameName(one.target, about)) ?? (rest.length === 0 ? this.#pending[0] : undefined);
    if (pending === undefined) return;
    const why = `${params.at(-1) ?? ""} (${command})`;
    const waitS = Number(/(\d+) ?s(?:ec|\b)/i.exec(why)?.[1] ?? 0);
    pending.verdict = LATERS.has(command)
      ? { kind: "retry", afterMs: Math.max(LATER_MS, waitS * 1000), why }
      : { kind: "refused", why };
  }
}

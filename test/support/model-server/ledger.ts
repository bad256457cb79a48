/** What a server was asked, and how each answer ended. Bounded: the oldest requests are forgotten, their count is not. */
import { lastUserText, type SeenRequest, sinceUser } from "./seen.js";

export const EXCHANGES_MAX = 2_000;
export const KEPT_BYTES_MAX = 64 * 1024 * 1024;
const REPORTED_BODY_BYTES_MAX = 1024 * 1024;

/** `closed-early`: the client left before the end that the script had in mind. */
export type Ending = "whole" | "cut" | "closed-early";

export interface Exchange {
  readonly index: number;
  readonly seen: SeenRequest;
  /** Undefined while it lasts. */
  readonly ending: Ending | undefined;
  readonly ended: Promise<Ending>;
}

interface Entry {
  readonly exchange: Exchange;
  end(how: Ending): void;
}

export class Ledger {
  #count = 0;
  #bytes = 0;
  #exchanges: Exchange[] = [];

  get count(): number {
    return this.#count;
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** A request nobody will ask about. */
  tally(): void {
    this.#count++;
  }

  open(seen: SeenRequest): Entry {
    let resolve: (how: Ending) => void = () => {};
    const ended = new Promise<Ending>((done) => {
      resolve = done;
    });
    const exchange: { -readonly [K in keyof Exchange]: Exchange[K] } = {
      index: this.#count++,
      seen,
      ending: undefined,
      ended,
    };
    this.#exchanges.push(exchange);
    this.#bytes += seen.raw.length;
    this.#prune();
    return {
      exchange,
      end: (how) => {
        exchange.ending ??= how;
        resolve(how);
      },
    };
  }

  forget(): void {
    this.#count = 0;
    this.#bytes = 0;
    this.#exchanges = [];
  }

  report(hasBodies: boolean): object {
    return {
      count: this.#count,
      requests: this.#exchanges.map(({ index, seen, ending }) => ({
        index,
        dialect: seen.dialect,
        path: seen.path,
        model: seen.model,
        user: lastUserText(seen.items),
        results: sinceUser(seen.items).filter(({ kind }) => kind === "result").length,
        tools: seen.tools.length,
        ending: ending ?? "open",
        ...(hasBodies && seen.raw.length <= REPORTED_BODY_BYTES_MAX ? { body: seen.body } : {}),
      })),
    };
  }

  #prune(): void {
    while (this.#exchanges.length > EXCHANGES_MAX || (this.#bytes > KEPT_BYTES_MAX && this.#exchanges.length > 1)) {
      this.#bytes -= this.#exchanges.shift()?.seen.raw.length ?? 0;
    }
  }
}

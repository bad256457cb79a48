/**
 * A line that comes back: when it is lost, another is opened after a rest that grows and is bounded. Calls are never
 * repeated behind the caller's back; they wait for a line, within their own deadline, and end with it.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Random } from "#base/random.js";
import type { MethodName, Result } from "#protocol/methods.js";
import { CALL_TIME_MS, type CallOptions, type HostEvent, type HostLine, type Wish } from "./host-line.js";
import type { LineEnd } from "./wire.js";

export const REST_MS_FIRST = 50;
export const REST_MS_MAX = 5_000;

export interface KeptLineParts {
  /** Opens a line; hands the line's events to `onEvent` from the first one on. */
  readonly open: (onEvent: (event: HostEvent) => void) => Promise<HostLine>;
  readonly clock: Clock;
  readonly random: Random;
}

export interface KeptLine {
  call<M extends MethodName>(method: M, params: Wish<M>, options?: CallOptions): Promise<Result<M>>;
  /** Hears every event of every line, in order. */
  onEvent(listener: (event: HostEvent) => void): () => void;
  /** Called with each line, the present one at once; and when one was lost, or could not be opened. */
  onLine(watcher: LineWatcher): () => void;
  close(): void;
}

export interface LineWatcher {
  line(line: HostLine): void;
  lost?(why: LineEnd | OperationalError): void;
}

type State =
  | { readonly phase: "opening" }
  | { readonly phase: "open"; readonly line: HostLine }
  | { readonly phase: "resting"; readonly why: OperationalError }
  | { readonly phase: "closed" };

export function keepLine(parts: KeptLineParts): KeptLine {
  const kept = new Keeper(parts);
  void kept.run();
  return kept;
}

class Keeper implements KeptLine {
  readonly #parts: KeptLineParts;
  readonly #listeners = new Set<(event: HostEvent) => void>();
  readonly #watchers = new Set<LineWatcher>();
  readonly #closing = new AbortController();
  #state: State = { phase: "opening" };

  constructor(parts: KeptLineParts) {
    this.#parts = parts;
  }

  /** Ends when the kept line is closed. */
  async run(): Promise<void> {
    const { clock, random } = this.#parts;
    for (let failures = 0; !this.#closing.signal.aborted; failures++) {
      const line = await this.#open();
      if (line !== undefined) {
        failures = 0;
        this.#become({ phase: "open", line });
        for (const watcher of [...this.#watchers]) watcher.line(line);
        this.#lost(await line.closed);
      }
      const restMs = Math.min(REST_MS_MAX, REST_MS_FIRST * 2 ** failures) * (0.5 + random() / 2);
      await clock.sleep(restMs, this.#closing.signal).catch(() => undefined);
    }
  }

  async call<M extends MethodName>(method: M, params: Wish<M>, options: CallOptions = {}): Promise<Result<M>> {
    const { clock } = this.#parts;
    const { timeoutMs = CALL_TIME_MS } = options;
    const startedMs = clock.monotonicMs();
    const line = await this.#line(timeoutMs, options.signal);
    return line.call(method, params, { ...options, timeoutMs: timeoutMs - (clock.monotonicMs() - startedMs) });
  }

  onEvent(listener: (event: HostEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onLine(watcher: LineWatcher): () => void {
    this.#watchers.add(watcher);
    if (this.#state.phase === "open") watcher.line(this.#state.line);
    return () => void this.#watchers.delete(watcher);
  }

  close(): void {
    const state = this.#state;
    this.#closing.abort();
    this.#become({ phase: "closed" });
    if (state.phase === "open") state.line.close();
  }

  async #open(): Promise<HostLine | undefined> {
    try {
      const line = await this.#parts.open((event) => {
        for (const listener of [...this.#listeners]) listener(event);
      });
      if (!this.#closing.signal.aborted) return line;
      line.close();
      return undefined;
    } catch (error) {
      // An outage is waited out; anything else is a bug, which a watcher gets to see as well.
      const why = error instanceof OperationalError ? error : hostGone(error);
      this.#become({ phase: "resting", why });
      for (const watcher of [...this.#watchers]) watcher.lost?.(why);
      return undefined;
    }
  }

  #lost(why: LineEnd): void {
    this.#become({ phase: "opening" });
    for (const watcher of [...this.#watchers]) watcher.lost?.(why);
  }

  #become(state: State): void {
    if (this.#state.phase !== "closed") this.#state = state;
  }

  /** The present line, or the next one. */
  #line(timeoutMs: number, signal: AbortSignal | undefined): Promise<HostLine> {
    const state = this.#state;
    if (state.phase === "open") return Promise.resolve(state.line);
    if (state.phase === "closed") return Promise.reject(hostGone("the line was closed"));
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        forgetLine();
        forgetTime();
        signal?.removeEventListener("abort", abort);
        act();
      };
      const abort = (): void => settle(() => reject(signal?.reason));
      const forgetLine = this.onLine({ line: (line) => settle(() => resolve(line)) });
      const forgetTime = this.#parts.clock.after(timeoutMs, () => settle(() => reject(this.#absence())));
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #absence(): OperationalError {
    return this.#state.phase === "resting" ? this.#state.why : hostGone("no line came back in time");
  }
}

function hostGone(cause: unknown): OperationalError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new OperationalError("host-gone", "after-delay", `the host cannot be reached: ${message}`, { cause });
}

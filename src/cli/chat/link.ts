/**
 * A chat's line to the host: started where none runs, and opened again when it is lost. A host that died is started
 * again at once. One that was told to stop is left alone until there is something to do: whoever stops a host has a
 * reason. A host that cannot be started ends the chat after a few tries; what was stored is kept whatever happens.
 */
import { marksOf } from "#app/host/variable-marks.js";
import { OperationalError } from "#base/errors.js";
import { systemRandom } from "#base/random.js";
import { type CallOptions, RpcError, type Wish } from "#client/host-line.js";
import { type KeptLine, keepLine } from "#client/kept-line.js";
import { type Greeted, greetHost, type HostWish, reachHost } from "#client/start-host.js";
import type { LineEnd } from "#client/wire.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import type { MethodName, Result } from "#protocol/methods.js";
import type { CliContext } from "../command.js";
import { hostWish } from "../host-wish.js";
import { asRefused, Refused } from "./refused.js";

/** Hosts in a row that could not be started before the chat gives up. */
const STARTS_MAX = 3;
/** How often a chat that needs nothing looks whether a host is there again. */
const LOOK_EVERY_MS = 1_000;
/** How often something is asked of hosts that go away before they answer. */
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 50;
/** As it calls itself: by this the host knows a terminal's own chat. */
const CLIENT = "talaria-cli chat";

export interface HostLink {
  readonly kept: KeptLine;
  readonly hello: Result<"host.hello">;
  /**
   * Waits for a line, and makes one be opened. A refusal is a UserError. When the line is lost before the answer, it is
   * asked again on the next one: only for what has its effect once however often it is asked.
   */
  call<M extends MethodName>(method: M, params: Wish<M>, options?: CallOptions): Promise<Result<M>>;
  /** The same, asked once: a lost line is an outage, and the effect may have happened. */
  callOnce<M extends MethodName>(method: M, params: Wish<M>, options?: CallOptions): Promise<Result<M>>;
  /** Something is under way until the returned function is called: a host that goes is started again. */
  need(): () => void;
  onBroken(listener: (why: OperationalError) => void): () => void;
  close(): void;
}

export async function openLink(context: CliContext): Promise<HostLink> {
  context.prepareHome();
  const link = new Link(context);
  await link.first();
  return link;
}

class Link implements HostLink {
  readonly kept: KeptLine;
  readonly #context: CliContext;
  readonly #broken = new Set<(why: OperationalError) => void>();
  #hello: Result<"host.hello"> | undefined;
  /** Undefined while lines can be opened. */
  #end: OperationalError | undefined;
  #failures = 0;
  #needs = 0;
  #wake: () => void = () => undefined;
  /** The host said that it stops. */
  #isStopped = false;

  constructor(context: CliContext) {
    this.#context = context;
    const { clock } = context;
    this.kept = keepLine({ clock, random: systemRandom, open: (onEvent) => this.#open(onEvent) });
    this.kept.onLine({ line: () => undefined, lost: (why) => this.#lost(why) });
  }

  get hello(): Result<"host.hello"> {
    if (this.#hello === undefined) throw new OperationalError("host-gone", "after-delay", "no host was reached.");
    return this.#hello;
  }

  /** Resolves with the first line; a host that cannot be reached at all is told at once. */
  first(): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = this.kept.onLine({
        line: () => {
          forget();
          resolve();
        },
        lost: (why) => {
          forget();
          this.close();
          reject(why instanceof Error ? why : new OperationalError("host-gone", "after-delay", "the host went away."));
        },
      });
    });
  }

  async call<M extends MethodName>(method: M, params: Wish<M>, options?: CallOptions): Promise<Result<M>> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.callOnce(method, params, options);
      } catch (error) {
        if (!isPassing(error) || tries >= TRIES_MAX || this.#end !== undefined) throw error;
        await this.#context.clock.sleep(TRY_AGAIN_MS, this.#context.signal);
      }
    }
  }

  async callOnce<M extends MethodName>(method: M, params: Wish<M>, options?: CallOptions): Promise<Result<M>> {
    if (this.#end !== undefined) throw this.#end;
    const release = this.need();
    let forget: () => void = () => undefined;
    const broken = new Promise<never>((_resolve, reject) => {
      forget = this.onBroken(reject);
    });
    try {
      return await Promise.race([this.kept.call(method, params, options), broken]);
    } catch (error) {
      throw error instanceof RpcError ? asRefused(error) : error;
    } finally {
      forget();
      release();
    }
  }

  need(): () => void {
    this.#needs++;
    this.#wake();
    let isReleased = false;
    return () => {
      if (!isReleased) this.#needs--;
      isReleased = true;
    };
  }

  onBroken(listener: (why: OperationalError) => void): () => void {
    if (this.#end !== undefined) listener(this.#end);
    this.#broken.add(listener);
    return () => void this.#broken.delete(listener);
  }

  close(): void {
    this.#broken.clear();
    this.kept.close();
    this.#wake();
  }

  async #open(onEvent: NonNullable<HostWish["onEvent"]>) {
    const base: HostWish = { ...hostWish(this.#context, CLIENT), onEvent };
    const isFirst = this.#hello === undefined;
    // Whoever comes with other variables than an idle host has gets one with these; once there, it is the chat's own.
    const wish = isFirst ? { ...base, variables: marksOf(this.#context.env) } : base;
    const { line, hello } = isFirst || !this.#isStopped ? await reachHost(wish) : await this.#awaited(wish);
    this.#hello ??= hello;
    this.#failures = 0;
    this.#isStopped = false;
    return line;
  }

  /** Somebody else's host, as soon as there is one; our own when something is to be done. */
  async #awaited(wish: HostWish): Promise<Greeted> {
    const { clock, signal } = this.#context;
    while (this.#needs === 0 && this.#end === undefined) {
      signal.throwIfAborted();
      try {
        return await greetHost(wish);
      } catch (error) {
        if (!(error instanceof OperationalError)) throw error;
      }
      await this.#restOrNeed(clock.sleep(LOOK_EVERY_MS, signal));
    }
    return reachHost(wish);
  }

  #restOrNeed(rest: Promise<unknown>): Promise<unknown> {
    const needed = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return Promise.race([rest, needed]);
  }

  #lost(why: LineEnd | OperationalError): void {
    if (why instanceof Error) {
      if (++this.#failures >= STARTS_MAX) this.#break(why);
    } else if (why.kind === "told" && why.reason === "shutting-down") this.#isStopped = true;
  }

  #break(why: OperationalError): void {
    this.#end = why;
    this.kept.close();
    for (const listener of [...this.#broken]) listener(why);
  }
}

/** The host went away, or is about to: the next one answers. */
function isPassing(error: unknown): boolean {
  if (error instanceof Refused) return error.code === ERROR_CODES.shuttingDown;
  return error instanceof OperationalError && ["host-gone", "no-host"].includes(error.code);
}

/**
 * One account on a platform, kept running: opened, run, and after a loss opened again with growing patience. Whatever
 * its library does, the gateway and the other accounts go on; how it stands is told to whoever asks.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import { type MenuEntry, type Platform, PlatformRefusal, type Receiver } from "#platform/platform.js";
import type { Account, AccountStanding, AccountState } from "./gateway.js";
import { createPace, type Pace } from "./pace.js";

const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
/** A person has to change something first; looked at again now and then, in case they did. */
const REFUSED_RETRY_MS = 900_000;
/** A line that held so long was a good one: the next loss begins with little patience again. */
const GOOD_MS = 60_000;
const STOP_MS = 2_000;
const MENU_MS = 20_000;
const CURSORS_MAX = 1_000;
/** For a library to be loaded and an account to be opened. */
export const OPEN_MS = 60_000;

export interface LineParts {
  readonly clock: Clock;
  readonly log: Logger;
  receiver(line: AccountLine): Receiver;
  cursors(limit: number): Promise<ReadonlyMap<string, string>>;
  menu(): readonly MenuEntry[];
  /** It can send from now on. */
  onUp(): void;
}

export class AccountLine {
  readonly pace: Pace;
  readonly counts = { received: 0, sent: 0, failed: 0, lastReceivedMs: 0, lastSentMs: 0 };
  #state: AccountState = { kind: "starting" };
  #platform: Platform | undefined;
  /** Since when it is open, this time. */
  #openMs: number | undefined;
  /** The line is well, and the store took nothing of what came by it last. */
  #isUnkept = false;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    readonly account: Account,
    private readonly parts: LineParts,
  ) {
    this.pace = createPace(parts.clock, account.kind.limits.perSecond);
  }

  /** What sends, while the line stands. */
  platform(): Platform | undefined {
    return this.#state.kind === "up" ? this.#platform : undefined;
  }

  /** What takes requests by our own door. */
  door(): Platform | undefined {
    return this.#platform;
  }

  start(): void {
    this.#running = this.#keep();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the gateway stops"));
    await Promise.race([this.#running, this.parts.clock.sleep(STOP_MS)]);
  }

  standing(): AccountStanding {
    const { received, sent, failed, lastReceivedMs, lastSentMs } = this.counts;
    return {
      platform: this.account.kind.name,
      account: this.account.name,
      state: this.#state,
      received,
      sent,
      failed,
      lastReceivedMs: lastReceivedMs || null,
      lastSentMs: lastSentMs || null,
    };
  }

  async #keep(): Promise<void> {
    const { clock } = this.parts;
    for (let losses = 0; !this.#stop.signal.aborted; losses++) {
      this.#openMs = undefined;
      const failure = await this.#runOnce();
      if (this.#stop.signal.aborted) break;
      // The time that an opening took in vain was no good one.
      if (this.#openMs !== undefined && clock.monotonicMs() - this.#openMs > GOOD_MS) losses = 0;
      const waitMs =
        failure instanceof PlatformRefusal
          ? REFUSED_RETRY_MS
          : (RETRY_MS[losses] ?? RETRY_MS[RETRY_MS.length - 1] ?? 0);
      this.#lost(failure, waitMs);
      await clock.sleep(waitMs, this.#stop.signal).catch(() => undefined);
    }
  }

  /** Until the line is lost; answers why. */
  async #runOnce(): Promise<Error> {
    const { clock, log, receiver } = this.parts;
    const { kind, name, settings } = this.account;
    try {
      const heard = receiver(this);
      const opening = kind.open(settings, {
        account: name,
        clock,
        log: log.child({ platform: kind.name, account: name }),
        receiver: {
          message: (incoming) => this.#kept(heard.message(incoming)),
          press: (press) => heard.press(press),
          up: () => this.#isUp(),
          down: (why) => this.#lost(new Error(why), null),
        },
        cursors: () => this.parts.cursors(CURSORS_MAX),
      });
      this.#platform = await within(clock, OPEN_MS, opening);
      this.#openMs = clock.monotonicMs();
      await this.#platform.run(this.#stop.signal);
      return new Error("the line ended");
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** [CT-8] What cannot be kept stays with the platform, and that is told for as long as it lasts. */
  async #kept(keeping: Promise<void>): Promise<void> {
    try {
      await keeping;
    } catch (error) {
      if (error instanceof OperationalError) {
        this.#isUnkept = true;
        this.#lost(new Error(`messages cannot be kept and wait with the platform: ${error.message}`), null);
      }
      throw error;
    }
    if (this.#isUnkept) this.#isUp();
  }

  #isUp(): void {
    this.#isUnkept = false;
    if (this.#state.kind === "up") return;
    const { clock, log, onUp } = this.parts;
    this.#state = { kind: "up", sinceMs: clock.nowMs() };
    log.info("a platform is up", { platform: this.account.kind.name, account: this.account.name });
    void this.#showMenu();
    onUp();
  }

  #lost(failure: Error, retryMs: number | null): void {
    const { clock, log } = this.parts;
    const { platform, account } = this.standing();
    if (failure instanceof PlatformRefusal) {
      this.#state = { kind: "refused", why: failure.message, hint: failure.hint ?? null };
      log.error("a platform turns us away", { platform, account, why: failure.message, hint: failure.hint });
      return;
    }
    const sinceMs = this.#state.kind === "down" ? this.#state.sinceMs : clock.nowMs();
    this.#state = { kind: "down", why: failure.message, sinceMs, retryMs };
    log.warn("a platform is down", { platform, account, why: failure.message, retryMs });
  }

  async #showMenu(): Promise<void> {
    const { clock, log, menu } = this.parts;
    try {
      const late = new AbortController();
      clock.after(MENU_MS, () => late.abort(new Error("it took too long")));
      await this.#platform?.setMenu?.(menu(), late.signal);
    } catch (error) {
      // People can type the commands: a menu is a comfort.
      log.warn("the commands' menu could not be set", {
        platform: this.account.kind.name,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/** A platform that never comes to be is tried again like one that is lost. */
async function within<T>(clock: Clock, timeMs: number, work: Promise<T>): Promise<T> {
  let forget: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    forget = clock.after(timeMs, () => reject(new Error(`it was not open within ${timeMs / 1_000} s`)));
  });
  return Promise.race([work, late]).finally(() => forget());
}

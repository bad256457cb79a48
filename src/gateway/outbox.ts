/**
 * Sends what is owed [CT-3] [CT-4]. A part is claimed in the store before a byte leaves and settled after the platform
 * answered; what dies in between is found by the next host as `unknown`. Waiting (for a platform's patience, for a
 * retry) happens before a claim, in rows with a due time, never in here: a delivery that waits has not left.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { DeliveryId, HostId, TurnId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { Platform, SendOutcome } from "#platform/platform.js";
import type { SessionStore } from "#session/store.js";
import type { DueDelivery } from "#session/verbs/outbox.js";
import type { AccountLine } from "./account-line.js";
import type { DeadNotices } from "./dead-notices.js";
import type { FileVerdict } from "./gateway.js";
import {
  findOne,
  RETRY_MAX_MS,
  resolutionOf,
  type SendParts,
  type Settlement,
  sendOne,
  settlementOf,
} from "./sending.js";
import { sharesOf } from "./shares.js";

/** Messages on their way at once, over all platforms. */
export const SENDS_AT_ONCE = 64;
const PAGE_UNKNOWN = 50;
const PAGE_RECOVERED = 200;
/** Looked at even when nobody says that something is due. */
const IDLE_LOOK_MS = 30_000;
const OUTAGE_WAIT_MS = 2_000;

export interface OutboxParts {
  readonly store: SessionStore;
  readonly host: HostId;
  readonly clock: Clock;
  readonly log: Logger;
  lines(): readonly AccountLine[];
  /** The message that shows a turn's answer as it grows, once nothing of it is on its way any more. */
  preview(turn: TurnId): Promise<string | undefined>;
  mayLeave(path: string): Promise<FileVerdict>;
  /** Who is told of what will never arrive. */
  readonly notices: DeadNotices;
}

export interface Outbox {
  start(): void;
  poke(): void;
  /** Goes on for up to `limitMs` with what is due, then lets go; what is on its way by then is found by the next host. */
  stop(limitMs: number): Promise<void>;
}

export function createOutbox(parts: OutboxParts): Outbox {
  const post = new Post(parts);
  return { start: () => post.start(), poke: () => post.poke(), stop: (limitMs) => post.stop(limitMs) };
}

class Post {
  readonly #parts: OutboxParts;
  readonly #under = new Set<Promise<void>>();
  /** By platform. */
  readonly #resolving = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();
  /** An earlier attempt did certainly not arrive: its copy needs no mark. Lost with the process, which marks it then. */
  readonly #absent = new Set<DeliveryId>();
  /** Wall time, moved on by the clock that never jumps: a clock that is set back delays no delivery, nor one set ahead. */
  #baseMs: number;
  /** Platforms of which something may have an unknown outcome: what was looked at stays known until one is lost sight of. */
  readonly #unsure = new Set<string>();
  /** As they were when their unknowns were looked at. */
  readonly #looked = new Map<AccountLine, Platform>();
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Lines that had something to send when they were last asked. */
  readonly #busy = new Set<AccountLine>();
  #isWanted = false;
  /** More may be due than was claimed: by a place that becomes free, in a line that goes on, at a later time. */
  #isMore = false;
  /** When the next one is due, by the clock that never jumps; the store is asked again when it is not known. */
  #next = { isKnown: false, atMs: 0 };
  #pump: Promise<void> | undefined;
  #forgetTimer: () => void = () => undefined;
  #isStarted = false;
  #isStopped = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#baseMs = parts.clock.nowMs() - parts.clock.monotonicMs();
  }

  start(): void {
    this.#isStarted = true;
    this.poke();
  }

  poke(): void {
    this.#isWanted = true;
    if (!this.#isStarted || this.#isStopped || this.#pump !== undefined) return;
    this.#pump = this.#run().finally(() => {
      this.#pump = undefined;
      if (this.#isWanted) this.poke();
    });
  }

  async stop(limitMs: number): Promise<void> {
    const { clock } = this.#parts;
    const late = clock.sleep(limitMs);
    await Promise.race([this.#quiet(), late]);
    this.#isStopped = true;
    this.#forgetTimer();
    this.#abort.abort(new Error("the gateway stops"));
  }

  /** Nothing is on its way, and nothing more is due. */
  async #quiet(): Promise<void> {
    while (this.#pump !== undefined || this.#under.size > 0 || this.#resolving.size > 0) {
      await Promise.all([this.#pump, ...this.#under, ...this.#resolving.values()]);
    }
  }

  #nowMs(): number {
    const { clock } = this.#parts;
    const [steadyMs, wallMs] = [clock.monotonicMs(), clock.nowMs()];
    // The wall clock ran ahead, as after a sleep of the machine: rows that others write are due by it.
    if (wallMs > this.#baseMs + steadyMs) this.#baseMs = wallMs - steadyMs;
    return Math.floor(this.#baseMs + steadyMs);
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    this.#forgetTimer();
    let waitMs = IDLE_LOOK_MS;
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false;
        await this.#recover();
        this.#resolve();
        await this.#claim();
      }
      waitMs = Math.min(IDLE_LOOK_MS, await this.#untilDue());
    } catch (error) {
      this.#next.isKnown = false;
      if (!(error instanceof OperationalError)) throw error;
      // The rows are where they were; the store is asked again.
      log.warn("the outbox waits for the store", { code: error.code });
      waitMs = OUTAGE_WAIT_MS;
    }
    if (!this.#isStopped) this.#forgetTimer = clock.after(Math.max(1, waitMs), () => this.poke());
  }

  #isRecovered = false;
  /** What earlier hosts had on its way. */
  async #recover(): Promise<void> {
    const { store, host, clock } = this.#parts;
    while (!this.#isRecovered) {
      const { recovered } = await store.recoverOutbox({ host, limit: PAGE_RECOVERED, nowMs: clock.nowMs() });
      this.#isRecovered = recovered === 0;
    }
  }

  /** Beside what is sent: a platform that is slow to say what arrived holds up its own unknowns alone. */
  #resolve(): void {
    for (const name of this.#toLookAt()) {
      // Whoever looks now may have passed over what is wanted: it stays wanted.
      if (this.#resolving.has(name)) continue;
      this.#unsure.delete(name);
      const work = this.#resolvePlatform(name)
        .catch((error: unknown) => {
          if (!(error instanceof OperationalError)) throw error;
          // They stay unknown, and are looked at again in a while.
          this.#parts.log.warn("what became of deliveries cannot be told yet", { code: error.code });
          this.#lookedMs = Number.NEGATIVE_INFINITY;
          return 0;
        })
        .then((resolved) => {
          this.#resolving.delete(name);
          // A page of them is not all.
          if (resolved > 0) this.#unsure.add(name);
          this.#next.isKnown &&= resolved === 0;
          if (this.#unsure.has(name)) this.poke();
        });
      this.#resolving.set(name, work);
    }
  }

  /** Platforms that lost sight of something, or have a line that came up since; now and then all of them. */
  #toLookAt(): ReadonlySet<string> {
    const nowMs = this.#parts.clock.monotonicMs();
    const isTime = nowMs - this.#lookedMs >= IDLE_LOOK_MS;
    if (isTime) this.#lookedMs = nowMs;
    for (const line of this.#parts.lines()) {
      const platform = line.platform();
      const isNew = platform !== undefined && this.#looked.get(line) !== platform;
      // What waited for it is due at times that nobody has asked for yet.
      if (isNew) this.#next.isKnown = false;
      if (isTime || isNew) this.#unsure.add(line.account.kind.name);
    }
    return this.#unsure;
  }

  async #resolvePlatform(name: string): Promise<number> {
    let resolved = 0;
    for (const line of this.#parts.lines()) {
      if (line.account.kind.name === name) resolved += await this.#resolveUnknown(line);
    }
    return resolved;
  }

  async #resolveUnknown(line: AccountLine): Promise<number> {
    const platform = line.platform();
    if (platform === undefined) {
      // It is looked at when it is back, whether or not it is opened anew for that.
      this.#looked.delete(line);
      return 0;
    }
    const { store } = this.#parts;
    const unknown = await store.unknownDeliveries({ ...owedBy(line), limit: PAGE_UNKNOWN });
    this.#looked.set(line, platform);
    for (const due of unknown) {
      const found = await findOne(platform, due, this.#send(line));
      // Whoever was cut off while looking knows nothing: the next host looks.
      if (this.#isStopped) return 0;
      if (found.kind === "absent") this.#remember(due.id);
      const event = resolutionOf(found, due, this.#nowMs());
      faultPoint("outbox.resolved");
      await this.#write(due, event);
      if (event.type === "gave-up") line.counts.failed++;
    }
    return unknown.length;
  }

  /** For all lines at once: they share a commit, and none waits for another's answer. */
  async #claim(): Promise<void> {
    this.#isMore = false;
    if (this.#isStopped) return;
    const up = this.#parts.lines().filter((line) => line.platform() !== undefined);
    const wishes = up.map((line) => ({ room: line.pace.room(), isBusy: this.#busy.has(line) }));
    const shares = sharesOf(SENDS_AT_ONCE - this.#under.size, wishes);
    const claims = await Promise.allSettled(up.map((line, at) => this.#claimFor(line, shares[at] ?? 0)));
    for (const claim of claims) if (claim.status === "rejected") throw claim.reason;
  }

  async #claimFor(line: AccountLine, limit: number): Promise<void> {
    if (limit <= 0) return this.#leftMore();
    const { store, host } = this.#parts;
    const claimed = await store.claimDeliveries({ host, ...owedBy(line), limit, nowMs: this.#nowMs() });
    faultPoint("outbox.claimed");
    line.pace.take(claimed.length);
    for (const due of claimed) this.#begin(this.#deliver(line, due));
    if (claimed.length === 0) this.#busy.delete(line);
    else this.#busy.add(line);
    if (claimed.length < limit) return;
    this.#leftMore();
    this.#isWanted ||= this.#under.size < SENDS_AT_ONCE && line.pace.room() > 0;
  }

  /** Whoever ends next looks again, and when the next is due has to be asked. */
  #leftMore(): void {
    this.#isMore = true;
    this.#next.isKnown = false;
  }

  #begin(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        if (!(error instanceof OperationalError)) throw error;
        // The row says `sending`: the next host tells it apart.
        this.#parts.log.error("what became of a delivery could not be stored", { code: error.code });
      })
      .finally(() => {
        this.#under.delete(done);
        if (this.#isMore) this.poke();
      });
    this.#under.add(done);
  }

  async #deliver(line: AccountLine, due: DueDelivery): Promise<void> {
    const platform = line.platform();
    const kept = due.turn === null || due.part > 1 ? undefined : await this.#parts.preview(due.turn);
    const preview = kept ?? due.preview ?? undefined;
    const isProvenAbsent = this.#absent.delete(due.id);
    const outcome: SendOutcome =
      platform === undefined
        ? { kind: "retry", afterMs: 1_000, why: "the platform went down" }
        : await sendOne(platform, due, { ...this.#send(line), preview, isProvenAbsent });
    // Whoever asked for patience gets it from everybody before the next is claimed.
    if (outcome.kind === "retry" && outcome.scope === "platform") {
      line.pace.pause(outcome.afterMs);
    }
    await this.#settle(line, due, outcome);
  }

  async #settle(line: AccountLine, due: DueDelivery, outcome: SendOutcome): Promise<void> {
    const { clock, log } = this.#parts;
    const nowMs = this.#nowMs();
    const event = settlementOf(outcome, due, nowMs);
    const { chatEveryMs, groupEveryMs = chatEveryMs } = line.account.kind.limits;
    const nextMs = nowMs + (due.address.chatType === "dm" ? chatEveryMs : groupEveryMs);
    await this.#keep(() => this.#write(due, event, nextMs));
    if (event.type === "lost-sight") this.#unsure.add(line.account.kind.name);
    faultPoint("outbox.settled");
    if (event.type === "sent") {
      line.counts.sent++;
      line.counts.lastSentMs = clock.nowMs();
      return;
    }
    const why = outcome.kind === "sent" ? "" : outcome.why;
    const { platform, account } = line.standing();
    log.warn("a message was not delivered", { platform, account, delivery: due.id, outcome: outcome.kind, why });
    if (event.type === "gave-up") line.counts.failed++;
  }

  /** [CT-3] That one is given up on and what its owner is told of it are one commit. */
  async #write(due: DueDelivery, event: Settlement, nextMs?: number): Promise<void> {
    const { store, clock, log, notices } = this.#parts;
    const notice = event.type === "gave-up" ? notices.of(due, event.error) : undefined;
    const settled = await store.settleDelivery({
      id: due.id,
      event,
      ...(nextMs === undefined ? {} : { nextMs }),
      ...(notice === undefined ? {} : { notice }),
      nowMs: clock.nowMs(),
    });
    const isOver = event.type === "sent" && settled.kind === "ok" && settled.nextMs === undefined;
    if (!isOver) this.#leftMore();
    if (notice !== undefined) notices.kept(due);
    if (event.type !== "gave-up") return;
    const { id: delivery, platform, conversation } = due;
    log.error("a message will never be delivered", { platform, delivery, conversation, why: event.error });
  }

  /** What the platform answered is stored, however long the store is away; only a death forgets it, as `unknown`. */
  async #keep(act: () => Promise<unknown>): Promise<void> {
    const { clock, log } = this.#parts;
    while (!this.#isStopped) {
      try {
        await act();
        return;
      } catch (error) {
        if (!(error instanceof OperationalError) || error.code === "closed") throw error;
        log.error("what became of a delivery cannot be stored yet", { code: error.code });
        await clock.sleep(OUTAGE_WAIT_MS);
      }
    }
  }

  #send(line: AccountLine): SendParts {
    const { clock } = this.#parts;
    const mayLeave = (path: string): Promise<FileVerdict> => this.#parts.mayLeave(path);
    return { clock, signal: this.#abort.signal, isIdempotent: line.account.kind.isIdempotent === true, mayLeave };
  }

  #remember(id: DeliveryId): void {
    if (this.#absent.size >= PAGE_UNKNOWN) this.#absent.clear();
    this.#absent.add(id);
  }

  /** Milliseconds until something can be done: by a line that is up, for what it may send, at its own pace. */
  async #untilDue(): Promise<number> {
    if (this.#under.size >= SENDS_AT_ONCE) return IDLE_LOOK_MS;
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#next.isKnown && this.#next.atMs > nowMs) return this.#next.atMs - nowMs;
    // Whoever changes it from here on says so, and pokes.
    this.#next.isKnown = true;
    let soonestMs = IDLE_LOOK_MS;
    for (const line of this.#parts.lines()) {
      if (line.platform() !== undefined) soonestMs = Math.min(soonestMs, await this.#untilDueFor(line));
    }
    this.#next.atMs = nowMs + soonestMs;
    return soonestMs;
  }

  async #untilDueFor(line: AccountLine): Promise<number> {
    const { atMs } = await this.#parts.store.deliveryDue(owedBy(line));
    if (atMs === null) return IDLE_LOOK_MS;
    const aheadMs = atMs - this.#nowMs();
    // Nothing is ever put off for so long: the clock was set back since, and nobody is to wait for it.
    if (aheadMs > RETRY_MAX_MS) this.#baseMs += aheadMs;
    return Math.max(line.pace.waitMs(), atMs - this.#nowMs());
  }
}

/** [GW-23] What one account owes is sent by no other: what an account owes that is gone waits for it to come back. */
function owedBy({ account }: AccountLine): { readonly platforms: readonly string[]; readonly account: string } {
  return { platforms: [account.kind.name], account: account.name };
}

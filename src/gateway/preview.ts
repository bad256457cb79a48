/** One turn's answer as it grows, as one message that is edited. Nothing is lost when any of it fails. */
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import { faultPoint } from "#base/fault.js";
import type { TurnId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { Outgoing, Platform } from "#platform/platform.js";
import type { Address } from "#session/address.js";
import type { SessionStore } from "#session/store.js";
import type { AccountLine } from "./account-line.js";
import { placeOf } from "./address.js";
import { INTERRUPTED_MARK } from "./words.js";

/** Less is not worth a message yet. */
const FIRST_CHARS = 40;
const TYPING_EVERY_MS = 4_500;
const PUT_LIMIT_MS = 10_000;
/** How long the reply waits for a preview that is on its way. */
const SETTLE_MS = 12_000;
/** Room for what formatting adds. */
const ROOM = 200;
const NEVER = new AbortController().signal;

export interface PreviewParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface PreviewWish {
  readonly turn: TurnId;
  readonly line: AccountLine;
  readonly address: Address;
}

export class Preview {
  readonly #parts: PreviewParts;
  readonly #wish: PreviewWish;
  /** What the steps before this one said. */
  #before = "";
  #text = "";
  #shown = "";
  #receipt: string | undefined;
  #isOver = false;
  #isGivenUp = false;
  /** What is on its way to the platform; one at a time. */
  #underWay: Promise<void> | undefined;
  #forgetEdit: (() => void) | undefined;
  #forgetTyping: () => void = () => undefined;

  constructor(parts: PreviewParts, wish: PreviewWish) {
    this.#parts = parts;
    this.#wish = wish;
    this.#type();
  }

  add(delta: string): void {
    this.#text += delta;
    this.#want();
  }

  /** A step is over; what it said stays to be seen until the reply takes its place. */
  step(): void {
    if (this.#text.trim() !== "") this.#before += `${this.#text.trim()}\n\n`;
    this.#text = "";
    this.#want();
  }

  /** What was said since the last step is void. */
  retract(): void {
    this.#text = "";
  }

  end({ isInterrupted }: { readonly isInterrupted: boolean }): void {
    this.#isOver = true;
    this.#forgetEdit?.();
    this.#forgetTyping();
    // No reply follows that would take its place.
    if (isInterrupted) void this.settled().then(() => this.#mark());
  }

  /** A question comes below it: it stays as what was said before that, and the reply will come below both. */
  seal(): void {
    this.end({ isInterrupted: false });
    const before = this.#underWay;
    this.#underWay = (async () => {
      await before;
      if (this.#receipt === undefined) return;
      await this.#show();
      this.#receipt = undefined;
      await this.#quietly(() => this.#parts.store.keepPreview({ turn: this.#wish.turn, receipt: null }));
    })();
  }

  /** The message that was shown, when nothing is on its way to it. */
  async settled(): Promise<string | undefined> {
    if (this.#underWay !== undefined) await Promise.race([this.#underWay, this.#parts.clock.sleep(SETTLE_MS)]);
    return this.#receipt;
  }

  /** While the turn runs, every few seconds. */
  #type(): void {
    const platform = this.#wish.line.platform();
    if (this.#isOver || platform?.typing === undefined) return;
    void this.#quietly((signal) => platform.typing?.(placeOf(this.#wish.address), signal));
    this.#forgetTyping = this.#parts.clock.after(TYPING_EVERY_MS, () => this.#type());
  }

  /** An edit, as soon as the platform may have one. */
  #want(): void {
    const { kind, streams } = this.#wish.line.account;
    const { editEveryMs } = kind.limits;
    if (!streams || editEveryMs === 0 || this.#isOver || this.#isGivenUp || this.#forgetEdit !== undefined) return;
    if (this.#receipt === undefined && this.#before.length + this.#text.length < FIRST_CHARS) return;
    this.#forgetEdit = this.#parts.clock.after(editEveryMs, () => {
      this.#forgetEdit = undefined;
      if (this.#isOver || this.#underWay !== undefined) return;
      this.#underWay = this.#show().finally(() => {
        this.#underWay = undefined;
        if (this.#visible() !== this.#shown) this.#want();
      });
    });
  }

  async #show(): Promise<void> {
    const { line } = this.#wish;
    const platform = line.platform();
    const text = this.#visible();
    if (platform?.edit === undefined || text === "" || text === this.#shown || line.pace.room() < 1) return;
    line.pace.take(1);
    await this.#quietly((signal) => this.#put(platform, text, signal));
  }

  async #put(platform: Platform, text: string, signal: AbortSignal): Promise<void> {
    const { turn, line } = this.#wish;
    const outgoing = this.#outgoing(text);
    const isFirst = this.#receipt === undefined;
    const outcome =
      this.#receipt === undefined
        ? await platform.send(outgoing, signal)
        : await platform.edit?.(outgoing.place, this.#receipt, outgoing, signal);
    if (outcome?.kind === "retry" && outcome.scope === "platform") line.pace.pause(outcome.afterMs);
    // A first piece that may have arrived, or never will, is not begun again: the reply comes without it.
    if (isFirst && (outcome?.kind === "unknown" || outcome?.kind === "refused")) this.#isGivenUp = true;
    if (outcome?.kind !== "sent") return;
    this.#shown = text;
    if (!isFirst) return;
    this.#receipt = outcome.receipt;
    faultPoint("preview.sent");
    // A death from here on finds it; one before leaves a preview that nobody knows of.
    await this.#parts.store.keepPreview({ turn, receipt: outcome.receipt });
    faultPoint("preview.kept");
  }

  async #mark(): Promise<void> {
    const platform = this.#wish.line.platform();
    const receipt = this.#receipt;
    if (receipt === undefined) return;
    const outgoing = this.#outgoing(`${this.#shown}\n\n${INTERRUPTED_MARK}`);
    await this.#quietly((signal) => platform?.edit?.(outgoing.place, receipt, outgoing, signal));
  }

  #outgoing(text: string): Outgoing {
    return { id: `preview:${this.#wish.turn}`, place: placeOf(this.#wish.address), text };
  }

  /** The end of it, when it is longer than one message. */
  #visible(): string {
    const { text: max, unit } = this.#wish.line.account.kind.limits;
    const most = Math.max(FIRST_CHARS, (unit === "bytes" ? Math.floor(max / 4) : max) - ROOM);
    const text = `${this.#before}${this.#text}`.trim();
    return text.length <= most ? text : `…${text.slice(-most).toWellFormed()}`;
  }

  /** Nobody loses anything when this fails: the reply comes by the outbox. */
  async #quietly(act: (signal: AbortSignal) => Promise<unknown> | undefined): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      await withDeadline({ clock, timeMs: PUT_LIMIT_MS, signal: NEVER }, async (signal) => act(signal));
    } catch (error) {
      log.debug("a preview failed", { error: error instanceof Error ? error.message : String(error) });
    }
  }
}

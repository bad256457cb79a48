/**
 * A place at one conversation: everything that happens there, in order, over any number of lines. What comes while nobody
 * listens is kept for whoever listens next, so that nothing falls between two things a chat does.
 */
import type { OperationalError } from "#base/errors.js";
import { type Following, followConversation, type Picture } from "#client/follow.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import type { LiveState } from "#protocol/shapes.js";
import type { HostLink } from "./link.js";
import { Refused } from "./refused.js";
import { type Told, told } from "./told.js";

export type SeatEvent =
  | Exclude<Told, { readonly kind: "nothing" }>
  /** Start over from this: what came before it is history. */
  | { readonly kind: "picture"; readonly picture: Picture; readonly state: LiveState }
  | { readonly kind: "line-lost" | "line-back" }
  /** No such conversation: it was deleted, or was never more than a promise of a host that is gone. */
  | { readonly kind: "unknown" };

export type SeatListener = (event: SeatEvent) => void;

export interface Seat {
  readonly id: string;
  /** The number of the last event that came. */
  readonly seq: number;
  /** Resolves with the first picture; rejects when there is no such conversation. */
  readonly opened: Promise<{ readonly picture: Picture; readonly state: LiveState }>;
  /** Hands over what was kept, then whatever comes. Undefined: from here on it is kept. */
  hear(listener: SeatListener | undefined): void;
  stop(): void;
}

/** A chat that listens to nothing for this many events has lost interest: the oldest are forgotten, and history has them. */
const KEPT_MAX = 100_000;

/** `isWaking`: what is left to do there is done now that somebody looks. */
export function takeSeat(link: HostLink, id: string, { isWaking }: { readonly isWaking: boolean }): Seat {
  const kept: SeatEvent[] = [];
  let listener: SeatListener | undefined;
  let isOpen = false;
  let isLost = false;
  let following: Following | undefined;
  const hand = (event: SeatEvent): void => {
    if (listener !== undefined) listener(event);
    else if (kept.push(event) > KEPT_MAX) kept.shift();
  };
  let resolveOpened: (first: Awaited<Seat["opened"]>) => void = () => undefined;
  let rejectOpened: (why: Error) => void = () => undefined;
  const opened = new Promise<Awaited<Seat["opened"]>>((resolve, reject) => {
    resolveOpened = resolve;
    rejectOpened = reject;
  });
  // Whoever waits for it hears of it; where nobody does, the events say the same.
  opened.catch(() => undefined);
  const forgetBroken = link.onBroken((why: OperationalError) => rejectOpened(why));
  following = followConversation(
    link.kept,
    id,
    {
      reset(picture, state) {
        if (isOpen) hand({ kind: "picture", picture, state });
        isOpen = true;
        resolveOpened({ picture, state });
      },
      event(event) {
        const one = told(event);
        if (one.kind !== "nothing") hand(one);
      },
      // Told once, however many tries it takes to get it back.
      lineLost() {
        if (isOpen && !isLost) hand({ kind: "line-lost" });
        isLost = isOpen;
      },
      lineBack() {
        if (isLost) hand({ kind: "line-back" });
        isLost = false;
      },
      unknown() {
        rejectOpened(new Refused(ERROR_CODES.notFound, "this conversation is not there any more"));
        hand({ kind: "unknown" });
      },
    },
    { isWaking },
  );
  return {
    id,
    get seq() {
      return following?.seq ?? 0;
    },
    opened,
    hear(next) {
      listener = next;
      while (listener !== undefined && kept.length > 0) {
        const event = kept.shift();
        if (event !== undefined) listener(event);
      }
    },
    stop() {
      forgetBroken();
      following?.stop();
    },
  };
}

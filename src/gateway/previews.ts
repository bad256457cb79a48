/**
 * Answers as they grow, and the sign that we are at work. A preview is disposable: it is edited at a rate the platform
 * allows, skipped when the platform is busy, and its place is taken by the reply's first part. Its message is stored
 * with the turn, so that the reply finds it after a death too.
 */
import type { ApprovalId, ConversationId, TurnId } from "#base/ids.js";
import type { Live, NumberedEvents, Watcher } from "#runtime/live/port.js";
import { type Address, destinationOf } from "#session/address.js";
import type { AccountLine } from "./account-line.js";
import { Preview, type PreviewParts } from "./preview.js";

/** Chats shown at once; a turn beyond them is answered without a preview. */
export const SHOWN_MAX = 2_000;
/** Chats that speak to one conversation meanwhile. */
const PLACES_MAX = 16;

export interface Previews {
  /** Shows what this conversation does in the chat from which it is spoken to, until its turns are over. */
  follow(conversation: ConversationId, line: AccountLine, address: Address): void;
  /** The message whose place the reply takes, once nothing is on its way to it any more. */
  settled(turn: TurnId): Promise<string | undefined>;
  stop(): void;
}

export interface PreviewsParts extends PreviewParts {
  /** A turn asks somebody in its chat. */
  onQuestion(conversation: ConversationId, approval: ApprovalId): void;
}

export function createPreviews(live: Live, parts: PreviewsParts): Previews {
  const shows = new Map<ConversationId, Show>();
  const byTurn = new Map<TurnId, Preview>();
  const leave = (conversation: ConversationId): void => {
    const show = shows.get(conversation);
    shows.delete(conversation);
    if (show !== undefined) live.unwatch(conversation, show);
  };
  return {
    follow(conversation, line, address) {
      const known = shows.get(conversation);
      if (known !== undefined) {
        known.speaks({ line, address });
        return;
      }
      // Whoever was followed for a message that made no turn has nothing to show: theirs is the place to give.
      if (shows.size >= SHOWN_MAX) {
        const [idle] = [...shows].find(([, { isShowing }]) => !isShowing) ?? [];
        if (idle === undefined) return;
        leave(idle);
      }
      const show = new Show((place, turn) => {
        const preview = new Preview(parts, { ...place, turn });
        remember(byTurn, turn, preview);
        return preview;
      });
      show.speaks({ line, address });
      show.onRest = () => leave(conversation);
      show.onQuestion = (approval) => parts.onQuestion(conversation, approval);
      shows.set(conversation, show);
      live.follow(conversation, show);
    },
    async settled(turn) {
      const preview = byTurn.get(turn);
      byTurn.delete(turn);
      return preview?.settled();
    },
    stop() {
      for (const conversation of [...shows.keys()]) leave(conversation);
      for (const preview of byTurn.values()) preview.end({ isInterrupted: false });
      byTurn.clear();
    },
  };
}

/** A turn that is answered by nobody leaves its preview behind: the oldest goes. */
function remember(byTurn: Map<TurnId, Preview>, turn: TurnId, preview: Preview): void {
  byTurn.set(turn, preview);
  const [oldest] = byTurn.keys();
  if (byTurn.size > SHOWN_MAX && oldest !== undefined) byTurn.delete(oldest);
}

interface ShowPlace {
  readonly line: AccountLine;
  readonly address: Address;
}

/** A conversation's turns, one after the other. */
class Show implements Watcher {
  #preview: Preview | undefined;
  #turn: { readonly place: ShowPlace; readonly turn: TurnId } | undefined;
  onRest: () => void = () => undefined;
  onQuestion: (approval: ApprovalId) => void = () => undefined;

  /** Chats that speak to it, by destination: an answer grows where it will stand, and nowhere else. */
  readonly #places = new Map<string, ShowPlace>();

  constructor(private readonly open: (place: ShowPlace, turn: TurnId) => Preview) {}

  get isShowing(): boolean {
    return this.#preview !== undefined;
  }

  speaks(place: ShowPlace): void {
    if (this.#places.size >= PLACES_MAX) this.#places.clear();
    this.#places.set(destinationOf(place.address), place);
  }

  event({ event }: NumberedEvents[number]): void {
    switch (event.type) {
      case "turn-started":
        this.#begin(event);
        return;
      case "text":
        this.#preview?.add(event.delta);
        return;
      case "step":
        this.#preview?.step();
        return;
      case "retracted":
        this.#preview?.retract();
        return;
      case "question":
        this.#preview?.seal();
        this.onQuestion(event.approval);
        return;
      case "answered":
        this.#goOn();
        return;
      case "turn-ended":
        if (event.report.outcome === "waiting") return;
        this.#preview?.end({ isInterrupted: event.report.outcome === "interrupted-by-user" });
        this.#preview = undefined;
        this.onRest();
        return;
      default:
        return;
    }
  }

  #begin({ turn, address }: Extract<NumberedEvents[number]["event"], { type: "turn-started" }>): void {
    const place = address === undefined ? undefined : this.#places.get(destinationOf(address));
    this.#turn = place === undefined ? undefined : { place, turn };
    this.#preview = place === undefined ? undefined : this.open(place, turn);
  }

  /** What is said after a question grows in a message of its own, below it. */
  #goOn(): void {
    const sealed = this.#preview;
    const at = this.#turn;
    if (sealed === undefined || at === undefined) return;
    void sealed.settled().then(() => {
      if (this.#preview === sealed) this.#preview = this.open(at.place, at.turn);
    });
  }
}

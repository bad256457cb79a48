/**
 * Watches one conversation over any number of lines. It remembers the last `seq`, asks for what came after it when a
 * line comes back, and hands on every event once and in order; where the host no longer has what was missed, the
 * watcher gets a fresh picture to start over from.
 */
import type { OperationalError } from "#base/errors.js";
import type { Result } from "#protocol/methods.js";
import { EventCursor } from "./cursor.js";
import { type HostEvent, type HostLine, RpcError } from "./host-line.js";
import type { KeptLine } from "./kept-line.js";
import type { LineEnd } from "./wire.js";

type Subscribed = Result<"events.subscribe">;
export type Picture = NonNullable<Subscribed["reset"]>;

export interface ConversationWatcher {
  /** Forget what was shown: history up to here, and how the conversation stands. Events follow. */
  reset(picture: Picture, state: Subscribed["state"]): void;
  event(event: HostEvent): void;
  /** Nothing is lost: the line comes back, and so does what was missed. */
  lineLost?(why: LineEnd | OperationalError): void;
  lineBack?(): void;
  /** The host knows no such conversation; nothing more comes. */
  unknown?(error: RpcError): void;
}

export interface Following {
  /** The last `seq` that was handed on. */
  readonly seq: number;
  stop(): void;
}

export interface FollowOptions {
  /** Goes on after this number, instead of beginning with a picture. */
  readonly after?: number;
  /** What was cut or is queued there goes on, whenever a line is there. */
  readonly isWaking?: boolean;
}

/** Events that come before their own subscription is answered; more start the subscription over. */
const EARLY_EVENTS_MAX = 10_000;

type Phase =
  | { readonly kind: "away" }
  | { readonly kind: "asking"; readonly line: HostLine; readonly early: HostEvent[] }
  | { readonly kind: "following"; readonly line: HostLine };

export function followConversation(
  kept: KeptLine,
  conversation: string,
  watcher: ConversationWatcher,
  options: FollowOptions = {},
): Following {
  const follower = new Follower(kept, conversation, watcher, options);
  follower.begin();
  return follower;
}

class Follower implements Following {
  readonly #kept: KeptLine;
  readonly #conversation: string;
  readonly #watcher: ConversationWatcher;
  readonly #cursor: EventCursor;
  readonly #isWaking: boolean;
  /** False until there is a place to go on from. */
  #hasPicture: boolean;
  #phase: Phase = { kind: "away" };
  #forget: (() => void)[] = [];

  constructor(kept: KeptLine, conversation: string, watcher: ConversationWatcher, options: FollowOptions) {
    const { after, isWaking = false } = options;
    this.#kept = kept;
    this.#conversation = conversation;
    this.#watcher = watcher;
    this.#isWaking = isWaking;
    this.#cursor = new EventCursor(after);
    this.#hasPicture = after !== undefined;
  }

  get seq(): number {
    return this.#cursor.seq;
  }

  begin(): void {
    this.#forget = [
      this.#kept.onEvent((event) => this.#hear(event)),
      this.#kept.onLine({
        line: (line) => void this.#subscribe(line),
        lost: (why) => {
          this.#phase = { kind: "away" };
          this.#watcher.lineLost?.(why);
        },
      }),
    ];
  }

  stop(): void {
    for (const forget of this.#forget) forget();
    this.#forget = [];
    const phase = this.#phase;
    this.#phase = { kind: "away" };
    if (phase.kind === "away") return;
    // Whether the host hears it makes no difference: a line that ends unsubscribes as well.
    void phase.line.call("events.unsubscribe", { session_id: this.#conversation }).catch(() => undefined);
  }

  async #subscribe(line: HostLine): Promise<void> {
    const asking: Extract<Phase, { kind: "asking" }> = { kind: "asking", line, early: [] };
    this.#phase = asking;
    const params = {
      session_id: this.#conversation,
      ...(this.#hasPicture && { after: this.seq }),
      ...(this.#isWaking && { wake: true }),
    };
    try {
      const answer = await line.call("events.subscribe", params);
      // The line was lost, or somebody stopped, while the answer was on its way.
      if (this.#phase !== asking) return;
      this.#phase = { kind: "following", line };
      this.#watcher.lineBack?.();
      this.#catchUp(answer, asking.early);
    } catch (error) {
      if (this.#phase !== asking) return;
      if (error instanceof RpcError) this.#giveUp(error);
      else line.close();
    }
  }

  /** A line on which even this is not answered is worth another one; a refusal is final. */
  #giveUp(error: RpcError): void {
    this.#phase = { kind: "away" };
    this.stop();
    this.#watcher.unknown?.(error);
  }

  #catchUp({ seq, state, events = [], reset }: Subscribed, early: readonly HostEvent[]): void {
    if (reset !== undefined) {
      this.#cursor.restart();
      this.#hasPicture = true;
      this.#watcher.reset(reset, state);
    }
    // What came as JSON has no field that is there and undefined.
    for (const event of this.#cursor.admitMissed(events as readonly HostEvent[])) this.#watcher.event(event);
    this.#cursor.reach(seq);
    for (const event of this.#cursor.admitMissed(early)) this.#watcher.event(event);
  }

  #hear(event: HostEvent): void {
    if (event.session_id !== this.#conversation) return;
    const phase = this.#phase;
    if (phase.kind === "following") {
      if (this.#cursor.admit(event)) this.#watcher.event(event);
    } else if (phase.kind === "asking") {
      phase.early.push(event);
      if (phase.early.length > EARLY_EVENTS_MAX) phase.line.close();
    }
  }
}

/**
 * One client: its line, what it is attached to, and what it left behind. Everything here is lost with the line, and
 * nothing of it is a fact: a client that comes back attaches again and asks for what it missed.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import { type EventParams, eventFrame } from "#protocol/frame.js";
import type { Live, NumberedEvents, Picture } from "#runtime/live/port.js";
import { Attachment } from "./attachment.js";
import { Refusal } from "./failure.js";
import type { Renderer } from "./render.js";
import type { Wire, WireEnd } from "./wire.js";

/** Conversations one client may watch at once. */
export const ATTACHED_MAX = 1_000;

export class Connection {
  readonly wire: Wire;
  readonly sinceMs: number;
  /** As it called itself in `host.hello`. */
  client = "";
  /** Where what it says comes from: `cli` for our own line chat, `tui` for everybody else. */
  platform = "tui";
  /** Conversations it sat down at: closed when it says goodbye. */
  readonly held = new Set<ConversationId>();
  cols = 80;
  /** Where it stands. */
  cwd: string | undefined;
  /** The conversation it closed last: what it opens next is that one's successor. */
  left: ConversationId | undefined;
  /** Sessions it opened with `close_on_disconnect`. */
  readonly closedWithIt = new Set<ConversationId>();
  readonly #attached = new Map<ConversationId, Attachment>();
  readonly #gone = new AbortController();
  readonly #live: Live;
  readonly #renderer: Renderer;

  constructor(wire: Wire, parts: { readonly clock: Clock; readonly live: Live; readonly renderer: Renderer }) {
    this.wire = wire;
    this.sinceMs = parts.clock.nowMs();
    this.#live = parts.live;
    this.#renderer = parts.renderer;
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** The wire judges who reads too slowly. */
  send(frame: string): void {
    this.wire.send(frame);
  }

  event(params: EventParams): void {
    this.send(eventFrame(params));
  }

  end(reason: WireEnd): void {
    this.wire.end(reason);
  }

  isAttached(conversation: ConversationId): boolean {
    return this.#attached.has(conversation);
  }

  attached(): readonly ConversationId[] {
    return [...this.#attached.keys()];
  }

  /** Events follow when `release` is called: after the answer that holds the picture. */
  async attach(conversation: ConversationId): Promise<{ readonly picture: Picture; release(): void }> {
    const attachment = this.#renewed(conversation);
    const picture = await this.#live.watch(conversation, attachment);
    return { picture, release: () => attachment.release() };
  }

  /** From where it left off, when that is still known. */
  attachSince(
    conversation: ConversationId,
    after: number,
  ): { readonly missed: NumberedEvents; release(): void } | undefined {
    const attachment = this.#renewed(conversation);
    const caught = this.#live.watchSince(conversation, after, attachment);
    if (caught.kind === "lost") return undefined;
    return { missed: caught.missed, release: () => attachment.release() };
  }

  /** Without a picture: for what begins here, or is known to the client already. */
  follow(conversation: ConversationId): void {
    if (this.isAttached(conversation)) return;
    const attachment = this.#renewed(conversation);
    this.#live.follow(conversation, attachment);
    attachment.release();
  }

  detach(conversation: ConversationId): boolean {
    const attachment = this.#attached.get(conversation);
    if (attachment === undefined) return false;
    this.#attached.delete(conversation);
    this.#live.unwatch(conversation, attachment);
    return true;
  }

  /** The line is gone: it watches nothing any more. */
  leave(): void {
    this.#gone.abort(new Error("the client has gone"));
    for (const conversation of this.attached()) this.detach(conversation);
  }

  #renewed(conversation: ConversationId): Attachment {
    this.detach(conversation);
    if (this.#attached.size >= ATTACHED_MAX) {
      throw new Refusal("sessionLimit", `one client watches at most ${ATTACHED_MAX} sessions; close some`);
    }
    const attachment = new Attachment(this.#renderer.of(conversation), (frame) => this.send(frame));
    this.#attached.set(conversation, attachment);
    return attachment;
  }
}

/**
 * Hands a conversation's events to one client, in their order, as frames. What has to be looked up first (a panel after
 * a turn) holds back what follows it; until the first release everything is held back.
 */
import type { NumberedEvent } from "#runtime/live/feed-event.js";
import type { Watcher } from "#runtime/live/port.js";
import type { Rendering } from "./render.js";

export class Attachment implements Watcher {
  readonly #render: Rendering;
  readonly #send: (frame: string) => void;
  readonly #line: NumberedEvent[] = [];
  #isHeld = true;

  constructor(render: Rendering, send: (frame: string) => void) {
    this.#render = render;
    this.#send = send;
  }

  event(event: NumberedEvent): void {
    this.#line.push(event);
    if (!this.#isHeld) this.#drain();
  }

  release(): void {
    this.#isHeld = false;
    this.#drain();
  }

  #drain(): void {
    for (let event = this.#line.shift(); event !== undefined; event = this.#line.shift()) {
      const frames = this.#render.frames(event);
      if (!(frames instanceof Promise)) {
        for (const frame of frames) this.#send(frame);
        continue;
      }
      this.#isHeld = true;
      void frames.then((late) => {
        for (const frame of late) this.#send(frame);
        this.release();
      });
      return;
    }
  }
}

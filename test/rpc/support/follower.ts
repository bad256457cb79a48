/**
 * A client that loses its line again and again and ends with the whole story: it keeps the last number it saw, drops
 * what came after it without a number, and asks for the rest. Events it has and rows it was reset to are one record.
 */
import type { TranscriptRow } from "#protocol/shapes.js";
import type { RawClient, SeenEvent } from "./client.js";

export class Follower {
  /** Everything that was told, in order, as if the line had never broken. */
  readonly events: SeenEvent[] = [];
  resets = 0;
  #seq: number | undefined;
  #rows: readonly TranscriptRow[] = [];

  /** Takes up where it was; whatever the client hears from then on is recorded until `leave`. */
  async join(client: RawClient, session: string): Promise<void> {
    const after = this.#seq === undefined ? {} : { after: this.#seq };
    const answer = await client.call("events.subscribe", { session_id: session, ...after });
    if (answer.reset !== undefined) {
      this.resets += 1;
      this.events.length = 0;
      this.#rows = answer.reset.messages;
    }
    for (const event of (answer.events ?? []) as readonly SeenEvent[]) this.#record(event);
    this.#seq = Math.max(this.#seq ?? 0, answer.seq);
  }

  /** What a client heard since it joined. */
  leave(client: RawClient, session: string): void {
    for (const event of client.of(session)) this.#record(event);
    // Told together with a numbered one that did not come any more: it will be told again.
    while (this.events.length > 0 && this.events.at(-1)?.seq === undefined) this.events.pop();
  }

  get rows(): readonly TranscriptRow[] {
    return this.#rows;
  }

  #record(event: SeenEvent): void {
    this.events.push(event);
    if (event.seq !== undefined) this.#seq = event.seq;
  }
}

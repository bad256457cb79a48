/** What a person would see who begins with a picture and follows the events: for comparing watchers with the store. */
import type { FeedEvent } from "#runtime/live/feed-event.js";
import type { HistoryRow } from "#session/verbs/reading.js";

export type Shown = `${"user" | "assistant" | "tool"}: ${string}`;

export class Screenful {
  readonly shown: Shown[] = [];
  #streamed = "";

  constructor(rows: readonly HistoryRow[] = []) {
    this.shown.push(...shownRows(rows));
  }

  take(event: FeedEvent): void {
    switch (event.type) {
      case "turn-started":
      case "steered":
        this.shown.push(`user: ${event.text}`);
        break;
      case "text":
        this.#streamed += event.delta;
        break;
      case "retracted":
        this.#streamed = "";
        break;
      case "step":
        this.#keep();
        break;
      case "call-finished":
        this.shown.push(`tool: ${event.text}`);
        break;
      case "turn-ended":
        if (event.report.outcome !== "waiting") this.#keep();
        break;
      default:
    }
  }

  #keep(): void {
    if (this.#streamed !== "") this.shown.push(`assistant: ${this.#streamed}`);
    this.#streamed = "";
  }
}

export function shownRows(rows: readonly HistoryRow[]): Shown[] {
  return rows.flatMap(({ role, text }): Shown[] =>
    (role === "user" || role === "assistant" || role === "tool") && text !== "" ? [`${role}: ${text}`] : [],
  );
}

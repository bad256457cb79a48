/** What a bare terminal shows: words only, one below the other. It cannot take back; a text that grows is written on. */
import type { ToClient } from "./wire.js";

export class Paper {
  /** The message at the end, which may still grow. */
  #last = { id: "", text: "" };
  #isNewLine = true;

  /** The person pressed Enter: the terminal is at the beginning of a line. */
  typed(): void {
    this.#isNewLine = true;
  }

  /** What to write for this; empty where there is nothing to see. */
  wordsFor(line: ToClient): string {
    switch (line.type) {
      case "message":
        return this.#below(line.id, line.text);
      case "edit":
        return this.#grown(line.receipt, line.text);
      case "not-kept":
      case "refused":
        return this.#below("", `! ${line.why}`);
      case "answer":
        return this.#below("", line.text);
      case "kept":
      case "typing":
        return "";
    }
  }

  #below(id: string, text: string): string {
    const start = this.#isNewLine ? "" : "\n";
    this.#isNewLine = false;
    this.#last = { id, text };
    return start + text;
  }

  #grown(id: string, text: string): string {
    const { id: lastId, text: before } = this.#last;
    if (id !== lastId || !text.startsWith(before)) return this.#below(id, text);
    this.#last = { id, text };
    this.#isNewLine = false;
    return text.slice(before.length);
  }
}

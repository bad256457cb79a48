/** One client of the console: its lines in, ours out, and whether it speaks JSON or is a person at a keyboard. */
import type { Socket } from "node:net";
import { LineSplitter } from "#base/line-splitter.js";
import { Paper } from "./paper.js";
import { FromClient, LINE_CHARS_MAX, type ToClient } from "./wire.js";

/** Messages on their way to the store from one client; beyond this its socket is not read. */
const UNKEPT_MAX = 64;

export interface ClientEvents {
  line(client: Client, line: FromClient): Promise<void>;
  words(client: Client, text: string): Promise<void>;
  gone(client: Client): void;
}

export class Client {
  readonly #socket: Socket;
  readonly #events: ClientEvents;
  readonly #lines = new LineSplitter(LINE_CHARS_MAX);
  readonly #paper = new Paper();
  #unkept = 0;
  /** Unknown until its first line: whoever has said nothing yet is shown nothing. */
  speech: "unknown" | "json" | "words" = "unknown";

  /** What it shows alone; undefined: everything. */
  chat: string | undefined;

  constructor(socket: Socket, events: ClientEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    // Told again by `close`, which is what counts.
    socket.on("error", () => this.end());
    socket.once("close", () => events.gone(this));
  }

  get isThere(): boolean {
    return this.speech !== "unknown" && this.#socket.writable;
  }

  shows(chat: string): boolean {
    return this.isThere && (this.chat === undefined || this.chat === chat);
  }

  /** `wasTaken` is called when the kernel has it. */
  tell(line: ToClient, wasTaken?: () => void): void {
    const written = this.speech === "words" ? this.#paper.wordsFor(line) : `${JSON.stringify(line)}\n`;
    if (written === "") {
      wasTaken?.();
      return;
    }
    this.#socket.write(written, (error) => {
      if (error === null || error === undefined) wasTaken?.();
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(chunk: Uint8Array): void {
    const lines = this.#lines.push(chunk);
    if (lines === "too-long") {
      this.tell({ type: "refused", why: `a line has at most ${LINE_CHARS_MAX} characters` });
      this.#socket.destroySoon();
      return;
    }
    for (const line of lines) if (line.trim() !== "") void this.#hear(line);
  }

  async #hear(line: string): Promise<void> {
    if (++this.#unkept >= UNKEPT_MAX) this.#socket.pause();
    try {
      await this.#sort(line);
    } finally {
      if (--this.#unkept < UNKEPT_MAX) this.#socket.resume();
    }
  }

  #sort(line: string): Promise<void> {
    const found = parsed(line);
    if (this.speech === "unknown") this.speech = typeof found === "object" ? "json" : "words";
    if (this.speech === "words") {
      this.#paper.typed();
      return this.#events.words(this, line);
    }
    const judged = FromClient.safeParse(found);
    if (judged.success) return this.#events.line(this, judged.data);
    this.tell({ type: "refused", ...idOf(found), why: why(judged.error.issues) });
    return Promise.resolve();
  }
}

function parsed(line: string): unknown {
  try {
    const found: unknown = JSON.parse(line);
    return found === null ? line : found;
  } catch {
    // Words, as people type them.
    return line;
  }
}

function idOf(found: unknown): { id?: string } {
  const id = typeof found === "object" && found !== null && "id" in found ? found.id : undefined;
  return typeof id === "string" ? { id } : {};
}

function why(issues: readonly { readonly path: PropertyKey[]; readonly message: string }[]): string {
  const [first] = issues;
  return first === undefined || first.path.length === 0
    ? 'expected {"id":"…","chat":"…","who":"…","text":"…"}'
    : `${first.path.join(".")}: ${first.message}`;
}

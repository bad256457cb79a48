/**
 * The way from a person at the console to the gateway: a socket while there is one, tried again while there is none. What
 * is said stays here under its id until the gateway has kept it, and is said again under the same id when it is back: the
 * gateway takes it once.
 */
import { connect, type Socket } from "node:net";
import type { Clock } from "#base/clock.js";
import { randomIds } from "#base/ids.js";

/** Between tries to reach it; the last one for as long as it takes. */
const RETRY_MS = [250, 500, 1_000, 2_000, 5_000] as const;
/** Said and not kept; more is refused with a word. */
export const UNKEPT_MAX = 100;

export interface Told {
  readonly type: string;
  readonly id?: string;
  readonly receipt?: string;
  readonly text?: string;
  readonly why?: string;
  readonly buttons?: readonly ConsoleButton[];
}

export interface ConsoleButton {
  readonly label: string;
  readonly token: string;
}

export interface ConsoleSeat {
  readonly who: string;
  readonly chat: string;
}

export interface LineEvents {
  heard(told: Told): void;
  gone(): void;
  /** It is there again; so many messages were said once more. */
  back(said: number): void;
}

/** Rejects when nobody listens there. */
export function reachConsole(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

export class ConsoleLine {
  #socket: Socket | undefined;
  #rest = "";
  readonly #unkept = new Map<string, string>();
  #tries = 0;
  #isLeft = false;
  #forget: () => void = () => undefined;

  constructor(
    private readonly wish: { readonly path: string; readonly seat: ConsoleSeat; readonly clock: Clock },
    private readonly events: LineEvents,
  ) {}

  get unkept(): number {
    return this.#unkept.size;
  }

  /** Speaks by this socket from now on. */
  take(socket: Socket): void {
    this.#socket = socket;
    this.#rest = "";
    this.#tries = 0;
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => this.#read(chunk));
    // Told again by `close`, which is what counts.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#lose());
    this.#write(JSON.stringify({ type: "hello", chat: this.wish.seat.chat }));
    for (const line of this.#unkept.values()) this.#write(line);
  }

  /** `waits`: it is said when the gateway is back. `full`: it was not taken. */
  say(text: string): "said" | "waits" | "full" {
    if (this.#unkept.size >= UNKEPT_MAX) return "full";
    const id = randomIds<string>();
    const line = JSON.stringify({ type: "say", id, ...this.wish.seat, name: this.wish.seat.who, text });
    this.#unkept.set(id, line);
    return this.#write(line) ? "said" : "waits";
  }

  /** False: nobody heard it. */
  press(token: string): boolean {
    return this.#write(JSON.stringify({ type: "press", ...this.wish.seat, token }));
  }

  leave(): void {
    this.#isLeft = true;
    this.#forget();
    this.#socket?.end();
    this.#socket?.destroy();
  }

  #write(line: string): boolean {
    this.#socket?.write(`${line}\n`);
    return this.#socket !== undefined;
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") this.#hear(JSON.parse(line) as Told);
  }

  #hear(told: Told): void {
    const { type, id } = told;
    if (id !== undefined && (type === "kept" || type === "not-kept" || type === "refused")) this.#unkept.delete(id);
    this.events.heard(told);
    const isShown = type === "message" || type === "edit";
    if (isShown && id !== undefined) this.#write(JSON.stringify({ type: "shown", id }));
  }

  #lose(): void {
    this.#socket = undefined;
    if (this.#isLeft) return;
    this.events.gone();
    this.#again();
  }

  #again(): void {
    const waitMs = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)] ?? 0;
    this.#forget = this.wish.clock.after(waitMs, () => {
      reachConsole(this.wish.path).then(
        (socket) => {
          if (this.#isLeft) return socket.destroy();
          const said = this.#unkept.size;
          this.take(socket);
          this.events.back(said);
        },
        () => {
          if (!this.#isLeft) this.#again();
        },
      );
    });
  }
}

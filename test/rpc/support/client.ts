/**
 * A client for tests: it keeps every frame in the order of arrival, finds fault with whatever is not in the schemas,
 * and waits for what a scenario expects. It knows nothing of our own client.
 */
import { EVENTS, isEventName } from "#protocol/events.js";
import { isMethodName, METHODS, type MethodName, type Params, type Result } from "#protocol/methods.js";
import type { Line, LineListener } from "./line.js";

/** How long a scenario waits for one thing; then the test fails and shows what came instead. */
export const WAIT_MS = 45_000;

export interface SeenEvent {
  readonly type: string;
  readonly session_id?: string;
  readonly seq?: number;
  readonly payload?: Readonly<Record<string, unknown>>;
}

export interface SeenError {
  readonly code: number;
  readonly message: string;
}

interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: SeenError;
}

interface Waiting {
  readonly look: () => boolean;
  readonly end: () => void;
}

export class RawClient implements LineListener {
  /** Everything, oldest first. */
  readonly events: SeenEvent[] = [];
  readonly answers: Answer[] = [];
  /** `event message.delta`, `answer r3`: what came, in one order. */
  readonly journal: string[] = [];
  /** What a careful reader of the schemas would complain about. */
  readonly faults: string[] = [];
  /** Sessions that were joined while a turn ran: their first events have no start. */
  readonly joinedInside = new Set<string>();
  isEnded = false;
  readonly #waiting = new Set<Waiting>();
  readonly #asked = new Map<string, string>();
  #line: Line | undefined;
  #closedWith = "";
  #next = 0;
  #seen = 0;

  set line(line: Line) {
    this.#line = line;
  }

  get line(): Line {
    if (this.#line === undefined) throw new Error("the line is not open yet");
    return this.#line;
  }

  frame(text: string): void {
    let frame: Record<string, unknown>;
    try {
      frame = JSON.parse(text) as Record<string, unknown>;
    } catch {
      this.faults.push(`no JSON: ${text.slice(0, 200)}`);
      return;
    }
    if (frame["jsonrpc"] !== "2.0") this.faults.push(`no jsonrpc 2.0: ${text.slice(0, 200)}`);
    if (frame["method"] === "event") this.#event(frame["params"] as SeenEvent);
    else this.#answer(frame as unknown as Answer);
    this.#look();
  }

  ended(reason = ""): void {
    this.isEnded = true;
    this.#closedWith = reason;
    this.#look();
  }

  /** Any method, any params; whatever comes back. */
  async ask(method: string, params: unknown = {}): Promise<Answer> {
    const id = `r${++this.#next}`;
    this.#asked.set(id, method);
    this.line.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return this.answerTo(id, method);
  }

  answerTo(id: unknown, what = String(id)): Promise<Answer> {
    return this.#until(`the answer to ${what}`, () => this.answers.find((answer) => answer.id === id));
  }

  async call<M extends MethodName>(method: M, params: Partial<Params<M>> = {}): Promise<Result<M>> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method} failed: ${error.code} ${error.message}`);
    return result as Result<M>;
  }

  async fails(method: string, params: unknown = {}): Promise<SeenError> {
    const { result, error } = await this.ask(method, params);
    if (error === undefined) throw new Error(`${method} did not fail: ${JSON.stringify(result)}`);
    return error;
  }

  /** The next event of that type that no `event` has handed out or passed over; earlier ones stay behind. */
  async event(type: string, where: (event: SeenEvent) => boolean = () => true): Promise<SeenEvent> {
    const found = await this.#until(`event ${type}`, () => {
      const at = this.events.findIndex((event, at) => at >= this.#seen && event.type === type && where(event));
      return at === -1 ? undefined : at;
    });
    this.#seen = found + 1;
    const event = this.events[found];
    if (event === undefined) throw new Error("an event was lost");
    return event;
  }

  /** `message.complete` of the turn under way, or its `error`, then the `session.info` that follows. */
  async turnEnd(session: string): Promise<SeenEvent> {
    const start = this.#seen;
    const end = await this.#until("the end of a turn", () => {
      const at = this.events.findIndex(
        (event, at) =>
          at >= start && event.session_id === session && (event.type === "message.complete" || event.type === "error"),
      );
      return at === -1 ? undefined : at;
    });
    this.#seen = end + 1;
    await this.event("session.info", (event) => event.session_id === session);
    const event = this.events[end];
    if (event === undefined) throw new Error("an event was lost");
    return event;
  }

  /** Why the host ended the line: its last frame says so, or what a WebSocket was closed with. */
  get farewell(): string {
    const last = this.events.at(-1);
    return last?.type === "connection.closing" ? String(last.payload?.["reason"]) : this.#closedWith;
  }

  of(session: string): readonly SeenEvent[] {
    return this.events.filter((event) => event.session_id === session);
  }

  until(what: string, isTrue: () => boolean): Promise<unknown> {
    return this.#until(what, () => (isTrue() ? true : undefined));
  }

  #event(event: SeenEvent): void {
    this.events.push(event);
    this.journal.push(`event ${event.type}`);
    this.faults.push(...eventFaults(event));
  }

  #answer(answer: Answer): void {
    this.answers.push(answer);
    this.journal.push(`answer ${String(answer.id)}`);
    const method = this.#asked.get(String(answer.id));
    if (method !== undefined) this.faults.push(...answerFaults(method, answer));
  }

  #until<T>(what: string, look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        look: () => {
          const found = look();
          if (found === undefined) return false;
          clearTimeout(limit);
          resolve(found);
          return true;
        },
        end: () => {
          clearTimeout(limit);
          reject(new Error(`the line ended before ${what}; ${this.#tail()}`));
        },
      };
      const limit = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new Error(`${what} did not come; ${this.#tail()}`));
      }, WAIT_MS);
      this.#waiting.add(waiting);
      this.#look();
    });
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      if (waiting.look()) this.#waiting.delete(waiting);
      else if (this.isEnded) {
        this.#waiting.delete(waiting);
        waiting.end();
      }
    }
  }

  #tail(): string {
    const events = this.events.slice(-12).map((event) => JSON.stringify(event).slice(0, 300));
    const errors = this.answers.filter(({ error }) => error !== undefined).slice(-3);
    return [`last came:`, ...events, ...errors.map((error) => JSON.stringify(error))].join("\n  ");
  }
}

function answerFaults(method: string, { id, result, error }: Answer): string[] {
  if ((result === undefined) === (error === undefined)) return [`${method}: neither or both of result and error`];
  if (error !== undefined) {
    const isSound = Number.isInteger(error.code) && typeof error.message === "string" && error.message !== "";
    return isSound ? [] : [`${method}: the error ${JSON.stringify(error)}`];
  }
  if (typeof result !== "object" || result === null || Array.isArray(result)) return [`${method}: not an object`];
  if (!isMethodName(method)) return [];
  const judged = METHODS[method].result.safeParse(result);
  return judged.success ? [] : [`${method} (${String(id)}): ${judged.error.message}`];
}

function eventFaults(event: SeenEvent): string[] {
  const { type, session_id: _session, seq, payload, ...strange } = event;
  const faults = Object.keys(strange).map((key) => `${type}: a field ${key}`);
  if (typeof type !== "string" || !isEventName(type)) return [...faults, `an event of type ${String(type)}`];
  const judged = EVENTS[type].safeParse(payload);
  if (!judged.success) faults.push(`${type}: ${judged.error.message}`);
  if (seq !== undefined && !Number.isSafeInteger(seq)) faults.push(`${type}: the number ${seq}`);
  return faults;
}

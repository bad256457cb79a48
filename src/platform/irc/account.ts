/**
 * An IRC account at work. What is heard goes to the receiver in the order of the line; IRC gives nothing again, so what
 * could not be kept is told to whoever said it. What is sent has its receipt from the server's PONG [CT-4].
 */
import type { IrcMessage } from "irc-framework";
import { randomIds } from "#base/ids.js";
import type { Outgoing, Platform, PlatformParts, SendOutcome } from "../platform.js";
import { incomingOf } from "./heard.js";
import type { IrcSettings } from "./kind.js";
import { type Line, openLine } from "./line.js";
import { LINES_MAX, linesOf } from "./lines.js";
import { isSameName, isTarget, targetOf } from "./names.js";
import { Receipts } from "./receipts.js";

/** The lines of one send beyond the first few go out slower, or the server takes us for a flood. */
const BURST_LINES = 4;
const LINE_EVERY_MS = 1_000;
/** How often a nick and the channels that are not ours are asked for again. */
const CARE_EVERY_MS = 60_000;
const NOT_CONNECTED_MS = 2_000;
/** One apology for what could not be kept in so long. */
const APOLOGY_EVERY_MS = 10_000;

export function openIrc(settings: IrcSettings, parts: PlatformParts): Platform {
  return new IrcAccount(settings, parts);
}

class IrcAccount implements Platform {
  readonly #settings: IrcSettings;
  readonly #parts: PlatformParts;
  readonly #receipts = new Receipts();
  #line: Line | undefined;
  #lastApologyMs = Number.NEGATIVE_INFINITY;

  constructor(settings: IrcSettings, parts: PlatformParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { clock, receiver } = this.#parts;
    const newId = eventIds();
    const heard = (message: IrcMessage, on: Line): void => this.#take(message, on, newId);
    const line = await openLine({ settings: this.#settings, clock, heard }, signal);
    const leave = (): void => line.leave();
    signal.addEventListener("abort", leave, { once: true });
    const rest = new AbortController();
    try {
      this.#line = line;
      if (signal.aborted) line.leave();
      await this.#enter(line, rest.signal);
      if (!signal.aborted) receiver.up();
      void this.#care(line, rest.signal);
      await line.closed;
    } finally {
      this.#line = undefined;
      rest.abort();
      signal.removeEventListener("abort", leave);
      this.#receipts.lose("the line was lost before the server answered");
    }
  }

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const line = this.#line;
    const target = targetOf(outgoing.place.chat.id);
    if (!isTarget(target)) return { kind: "refused", why: "that is no nick and no channel" };
    if (line === undefined)
      return { kind: "retry", afterMs: NOT_CONNECTED_MS, why: "not connected", scope: "platform" };
    if (signal.aborted) return { kind: "retry", afterMs: NOT_CONNECTED_MS, why: "there was no time left" };
    const lines = linesOf(outgoing.text, target, line);
    if (lines.length === 0) return { kind: "refused", why: "there is nothing to say" };
    if (lines.length > LINES_MAX) return { kind: "refused", why: `more than ${LINES_MAX} lines in one message` };
    const token = `t-${randomIds()}`;
    const outcome = this.#receipts.expect(target, token, signal);
    void this.#say(line, target, lines, token, signal);
    return outcome;
  }

  /** The line may go while this waits between two lines: then `expect` has its outcome already. */
  async #say(line: Line, target: string, lines: readonly string[], token: string, signal: AbortSignal): Promise<void> {
    for (const [at, text] of lines.entries()) {
      if (at >= BURST_LINES && !(await this.#waited(signal))) return;
      if (this.#line !== line) return;
      line.write(`PRIVMSG ${target} :${text}`);
    }
    line.write(`PING ${token}`);
  }

  #waited(signal: AbortSignal): Promise<boolean> {
    return this.#parts.clock.sleep(LINE_EVERY_MS, signal).then(
      () => true,
      () => false,
    );
  }

  /** Joins the channels; a PONG behind the last tells that each was answered. */
  async #enter(line: Line, signal: AbortSignal): Promise<void> {
    for (const channel of this.#settings.channels) line.write(`JOIN ${channel}`);
    const token = `t-${randomIds()}`;
    const answered = this.#receipts.expect("*", token, signal);
    line.write(`PING ${token}`);
    await Promise.race([answered, line.closed]);
  }

  /** Asks again for the nick that somebody else had, and for channels that would not have us. Joining twice does nothing. */
  async #care(line: Line, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#parts.clock.sleep(CARE_EVERY_MS, signal);
      } catch {
        // The line is over.
        return;
      }
      this.#reclaim(line);
      for (const channel of this.#settings.channels) line.write(`JOIN ${channel}`);
    }
  }

  #reclaim(line: Line): void {
    if (!isSameName(line.nick, this.#settings.nick)) line.write(`NICK ${this.#settings.nick}`);
  }

  #take(message: IrcMessage, line: Line, newId: () => string): void {
    this.#receipts.take(message, line.nick);
    this.#notice(message, line);
    const incoming = incomingOf(message, line.nick, newId);
    if (incoming === undefined) return;
    this.#parts.receiver.message(incoming).catch((error: unknown) => {
      this.#parts.log.error("a message on IRC could not be kept, and IRC does not give it again", {
        event: incoming.eventId,
        why: error instanceof Error ? error.message : String(error),
      });
      this.#apologise(message.nick);
    });
  }

  /** Whoever had our nick lets it go; a channel throws us out. */
  #notice({ command, params, nick }: IrcMessage, line: Line): void {
    const { log } = this.#parts;
    const ours = this.#settings.nick;
    if ((command === "QUIT" || command === "NICK") && isSameName(nick, ours) && !isSameName(line.nick, ours)) {
      this.#reclaim(line);
    } else if (command === "KICK" && isSameName(params[1] ?? "", line.nick)) {
      log.warn("thrown out of an IRC channel", { channel: params[0], why: params[2] });
    } else if (NO_ENTRY.has(command)) {
      log.warn("an IRC channel would not have us", { channel: params[1], why: params.at(-1) });
    }
  }

  #apologise(nick: string): void {
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#lastApologyMs < APOLOGY_EVERY_MS || !isTarget(nick)) return;
    this.#lastApologyMs = nowMs;
    this.#line?.write(
      `NOTICE ${nick} :I could not keep that message, so it will not be answered. Please say it again later.`,
    );
  }
}

const NO_ENTRY: ReadonlySet<string> = new Set(["403", "405", "471", "473", "474", "475", "476", "477"]);

/** For a server that gives messages no names: never the same again, on this connection or any other. */
function eventIds(): () => string {
  const connection = randomIds();
  let count = 0;
  return () => `${connection}:${count++}`;
}

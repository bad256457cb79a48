/**
 * One connection to an IRC server, from its first byte to its last: registration, a nick when ours is taken, and its end. The
 * library speaks the protocol (TLS, capabilities, SASL, pings); reconnecting is left to whoever runs the platform.
 */
import type { Client, IrcMessage } from "irc-framework";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { PlatformRefusal } from "../platform.js";
import type { IrcSettings } from "./kind.js";
import { PORT_PLAIN, PORT_TLS } from "./limits.js";

const REGISTER_LIMIT_MS = 30_000;
/** After a farewell the server closes; one that does not is left. */
const FAREWELL_MS = 500;
const PING_EVERY_S = 20;
/** A line on which nothing came for so long is dead. */
const SILENCE_S = 45;
const NICKS_MAX = 6;

export interface Line {
  /** As the server calls us, which is not always what we asked for. */
  readonly nick: string;
  readonly username: string;
  write(line: string): void;
  /** Rejects when the line is lost, or refused; resolves after `leave`. */
  readonly closed: Promise<void>;
  leave(): void;
}

export interface LineWish {
  readonly settings: IrcSettings;
  readonly clock: Clock;
  /** Every line of the server's, from the first on. */
  heard(message: IrcMessage, line: Line): void;
}

/** Resolves when the server has welcomed us. */
export async function openLine(wish: LineWish, signal: AbortSignal): Promise<Line> {
  const { settings, clock } = wish;
  const library = (await import("irc-framework")).default;
  const client = new library.Client(clientOptions(settings));
  shield(client);
  const line = new OpenLine(client, wish);
  const isLate = clock.after(REGISTER_LIMIT_MS, () => line.drop("the server did not welcome us in time"));
  const leave = (): void => line.leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    client.connect();
    await Promise.race([line.welcomed, line.closed]);
    return line;
  } finally {
    isLate();
    signal.removeEventListener("abort", leave);
  }
}

function clientOptions(settings: IrcSettings) {
  const { host, tls, nick, username = nick, realname, password, sasl } = settings;
  return {
    host,
    port: settings.port ?? (tls ? PORT_TLS : PORT_PLAIN),
    tls,
    rejectUnauthorized: settings.tls_verify,
    nick,
    username,
    gecos: realname,
    ...(password === undefined ? {} : { password }),
    // Without one the library would offer the server's password as an account's.
    account: { ...sasl },
    auto_reconnect: false,
    // Strangers learn nothing about the program by asking.
    version: null,
    ping_interval: PING_EVERY_S,
    ping_timeout: SILENCE_S,
    enable_echomessage: true,
    sasl_disconnect_on_fail: true,
  };
}

/** The library's handlers take for granted that a server sends all parameters; one that does not must not end the process. */
function shield(client: Client): void {
  const handler = client.command_handler;
  const dispatch = handler.dispatch.bind(handler);
  handler.dispatch = (message) => {
    try {
      dispatch(message);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  };
}

class OpenLine implements Line {
  readonly #client: Client;
  readonly #wish: LineWish;
  readonly welcomed: Promise<void>;
  readonly closed: Promise<void>;
  #welcome: () => void = () => undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #isWelcomed = false;
  #isLoggedIn = false;
  #isLeaving = false;
  #nicksTried = 1;
  /** The last thing the server said that explains an end. */
  #why = "";
  #forget: () => void = () => undefined;

  constructor(client: Client, wish: LineWish) {
    this.#client = client;
    this.#wish = wish;
    this.welcomed = new Promise((resolve) => {
      this.#welcome = resolve;
    });
    this.closed = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever opens a line looks at it later than it may be lost.
    this.closed.catch(() => undefined);
    client.connection.on("message", (message: IrcMessage) => this.#take(message));
    client.on("socket close", (error: unknown) => this.#end(error));
    client.on("sasl failed", ({ reason }: { readonly reason: string }) =>
      this.#refuse(reason, "look at platforms.irc.sasl"),
    );
  }

  get nick(): string {
    return this.#client.user.nick;
  }

  get username(): string {
    return this.#client.user.username;
  }

  write(line: string): void {
    this.#client.raw(line);
  }

  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    if (this.#client.connected) {
      this.#client.quit("bye");
      this.#forget = this.#wish.clock.after(FAREWELL_MS, () => this.drop(""));
    } else this.drop("");
  }

  drop(why: string): void {
    if (why !== "") this.#why = why;
    const { transport } = this.#client.connection;
    transport?.close(true);
    // A socket that is still being made tells of no close once it is let go.
    if (!this.#client.connected) this.#end(false);
  }

  #take(message: IrcMessage): void {
    const { command, params } = message;
    if (command === "900" || command === "903") this.#isLoggedIn = true;
    if (command === "001" && this.#wish.settings.sasl !== undefined && !this.#isLoggedIn) {
      this.#refuse("it lets nobody log in", "take platforms.irc.sasl out, or use a server that has it");
    } else if (command === "001") {
      this.#isWelcomed = true;
      this.#welcome();
    } else if (!this.#isWelcomed && (command === "433" || command === "436")) this.#tryNick(command);
    else if (!this.#isWelcomed && TURNED_AWAY[command] !== undefined) {
      this.#refuse(`${params.at(-1) ?? command} (${command})`, TURNED_AWAY[command]);
    } else if (command === "ERROR") {
      this.#why = params.at(-1) ?? "";
      if (!this.#isWelcomed && /password/i.test(this.#why)) this.#refuse(this.#why, "look at platforms.irc.password");
    }
    this.#wish.heard(message, this);
  }

  /** Somebody has it, often we ourselves from before a cut. */
  #tryNick(command: string): void {
    const { nick } = this.#wish.settings;
    if (this.#nicksTried >= NICKS_MAX) {
      this.drop(`every nick like ${nick} is taken (${command})`);
      return;
    }
    this.write(`NICK ${nick.slice(0, NICK_CHARS)}${"_".repeat(this.#nicksTried++)}`);
  }

  #refuse(why: string, hint: string): void {
    this.#reject(new PlatformRefusal(`the IRC server turned us away: ${why}`, hint));
    this.drop(why);
  }

  #end(error: unknown): void {
    this.#forget();
    this.#client.connection.clearTimers();
    if (this.#isLeaving) this.#resolve();
    const said = error instanceof Error ? error.message : this.#why;
    const why = said === "" ? "the server closed the connection" : said;
    // Nothing happens where it was resolved before.
    this.#reject(new OperationalError("irc-line", "after-delay", `the line to the IRC server is lost: ${why}`));
  }
}

/** So that a changed nick stays within the nine characters that every server allows. */
const NICK_CHARS = 9 - 1;

/** Answers before the welcome after which only a person can help. */
const TURNED_AWAY: Readonly<Record<string, string>> = {
  "432": "choose another platforms.irc.nick",
  "464": "look at platforms.irc.password",
  "465": "this address is banned there",
  "902": "look at platforms.irc.sasl",
  "904": "look at platforms.irc.sasl",
  "905": "look at platforms.irc.sasl",
};

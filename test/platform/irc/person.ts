/** Somebody on IRC, with a plain socket: joins, talks, and remembers what others say to them. */
import { connect, type Socket } from "node:net";
import { eventually } from "#platform/contract/platform.contract.js";

const LINE_BYTES = 400;

export interface Overheard {
  readonly from: string;
  readonly target: string;
  readonly text: string;
}

export class Person {
  readonly #socket: Socket;
  readonly heard: Overheard[] = [];
  readonly lines: string[] = [];
  readonly nick: string;
  #rest = "";
  #barriers = 0;

  private constructor(socket: Socket, nick: string) {
    this.#socket = socket;
    this.nick = nick;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.#take(text));
    socket.on("error", () => undefined);
  }

  static async join(port: number, nick: string, channels: readonly string[]): Promise<Person> {
    const person = new Person(connect(port, "127.0.0.1"), nick);
    person.raw(`NICK ${nick}`);
    person.raw(`USER ${nick} 0 * :${nick}`);
    await eventually(`${nick} is welcome`, () => person.lines.some((line) => / 001 /.test(line)));
    for (const channel of channels) person.raw(`JOIN ${channel}`);
    await person.settled();
    return person;
  }

  raw(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  /** Writes to a chat what the wire can carry of a text; resolves when the server has it. */
  async say(target: string, text: string): Promise<void> {
    let line = text.replace(/[\r\n\0]+/g, " ");
    while (Buffer.byteLength(line) > LINE_BYTES)
      line = line.slice(0, -1 - Math.floor((Buffer.byteLength(line) - LINE_BYTES) / 4));
    this.raw(`PRIVMSG ${target} :${line}`);
    await this.settled();
  }

  /** Resolves when the server has handled everything written so far, and we have read what it said until then. */
  async settled(): Promise<void> {
    const token = `b${this.#barriers++}`;
    this.raw(`PING ${token}`);
    await eventually(`${this.nick} is answered`, () => this.lines.some((line) => line.endsWith(`:${token}`)));
  }

  async leave(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.once("close", resolve));
    if (this.#socket.destroyed) return;
    this.#socket.destroy();
    await closed;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\r\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.lines.push(line);
      if (line.startsWith("PING")) this.raw(line.replace("PING", "PONG"));
      const [, from, target, words] = /^:([^!\s]+)\S* PRIVMSG (\S+) :(.*)$/.exec(line) ?? [];
      if (from !== undefined && target !== undefined && words !== undefined)
        this.heard.push({ from, target, text: words });
    }
  }
}

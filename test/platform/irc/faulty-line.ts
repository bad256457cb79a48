/** A line between us and the server that fails when it is told to: cut, silent, slow, or with an answer of its own. */
import { connect, createServer, type Server, type Socket } from "node:net";
import { systemClock } from "#base/clock.js";
import type { PeerFault } from "#platform/contract/scene.js";

const TRICKLE_MS = 40;

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** What becomes of the next PING of ours. */
  nextPing: "given" | "dropped" | "trickled";
  /** Answers to us, each behind the one before. */
  answered: Promise<void>;
}

export class FaultyLine {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #faults: PeerFault[] = [];
  #isStopped = false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    server.on("connection", (near) => this.#link(near, connect(port, "127.0.0.1")));
  }

  static async before(port: number): Promise<FaultyLine> {
    const server = createServer();
    const line = new FaultyLine(server, port);
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  fail(fault: PeerFault, times: number): void {
    for (let at = 0; at < times; at++) this.#faults.push(fault);
  }

  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #link(near: Socket, far: Socket): void {
    const pair: Pair = { near, far, nextPing: "given", answered: Promise.resolve() };
    this.#pairs.add(pair);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => undefined);
      one.once("close", () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
    eachLine(near, (line) => this.#forward(pair, line));
    far.on("data", (chunk: Buffer) => {
      const isSlow = pair.nextPing === "trickled";
      pair.answered = pair.answered.then(() => (isSlow ? this.#trickle(near, chunk) : void near.write(chunk)));
    });
  }

  #forward(pair: Pair, line: string): void {
    if (line.startsWith("PING ") && pair.nextPing === "dropped") {
      pair.nextPing = "given";
      return;
    }
    const fault = line.startsWith("PRIVMSG ") ? this.#faults.shift() : undefined;
    const target = line.split(" ")[1] ?? "";
    switch (fault?.kind) {
      case undefined:
        break;
      case "cut-before":
        pair.near.destroy();
        return;
      case "cut-after":
        // The other half stays until the server has read what came.
        pair.far.write(`${line}\r\n`, () => pair.near.destroy());
        return;
      case "silent":
        pair.nextPing = "dropped";
        break;
      case "slow":
        pair.nextPing = "trickled";
        break;
      case "rate-limited":
        pair.near.write(
          `:irc.test.example 439 me ${target} :Target change too fast. Please wait ${fault.afterMs / 1000} seconds.\r\n`,
        );
        return;
      case "gone":
        pair.near.write(`:irc.test.example 401 me ${target} :No such nick or channel name\r\n`);
        return;
      default:
        throw new Error(`a line knows nothing of ${fault?.kind}`);
    }
    pair.far.write(`${line}\r\n`);
  }

  async #trickle(near: Socket, chunk: Buffer): Promise<void> {
    for (const byte of chunk) {
      if (this.#isStopped || near.destroyed) return;
      near.write(Buffer.of(byte));
      await systemClock.sleep(TRICKLE_MS);
    }
    for (const pair of this.#pairs) if (pair.near === near) pair.nextPing = "given";
  }
}

function eachLine(socket: Socket, act: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    const lines = (rest + text).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) act(line);
  });
}

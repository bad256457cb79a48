/** A server of our own making, for what ngircd does not do: names of messages, accounts, echoes, and nonsense. */
import { createServer, type Server, type Socket } from "node:net";

export class ScriptedServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly lines: string[] = [];
  /** Capabilities it has. */
  readonly #caps: string;
  /** Asked about every line first: what it answers is all that is answered. */
  answer: (line: string) => readonly string[] | undefined = () => undefined;

  private constructor(caps: string) {
    this.#caps = caps;
    this.#server = createServer((socket) => this.#greet(socket));
  }

  static async start(caps = ""): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(caps);
    await new Promise<void>((resolve) => void scripted.#server.listen(0, "127.0.0.1", resolve));
    return scripted;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  tell(line: string): void {
    for (const socket of this.#sockets) socket.write(`${line}\r\n`);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #greet(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      const lines = (rest + text).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(socket, line);
    });
  }

  #take(socket: Socket, line: string): void {
    this.lines.push(line);
    for (const said of this.answer(line) ?? this.#usual(line)) socket.write(`${said}\r\n`);
  }

  #usual(line: string): readonly string[] {
    const [command, first = ""] = line.split(" ");
    if (command === "CAP" && first === "LS") return [`:s CAP * LS :${this.#caps}`];
    if (command === "CAP" && first === "REQ") return [`:s CAP * ACK ${line.slice("CAP REQ ".length)}`];
    if (command === "USER" || (command === "CAP" && first === "END" && this.#caps !== "")) {
      return command === "USER" && this.#caps !== "" ? [] : [":s 001 talaria :welcome"];
    }
    if (command === "PING") return [`:s PONG s :${first}`];
    return [];
  }
}

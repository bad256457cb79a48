/** `talaria gateway console`: a person at the console platform of a gateway that runs. */
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import { randomIds } from "#base/ids.js";
import { visibleLines } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";

export interface ConsoleOptions {
  readonly as: string;
  readonly chat?: string;
}

export async function run(context: CliContext, options: ConsoleOptions): Promise<void> {
  const socket = await reach(context);
  const seat: Seat = { who: options.as, chat: options.chat ?? options.as };
  const { out, signal } = context;
  const where = seat.chat.startsWith("#") ? `the group ${seat.chat}` : "a direct chat";
  out.note(`You are ${seat.who}, in ${where}. Write something; /quit leaves and loses nothing.`);
  const chat = new ConsoleChat(socket, seat, { clock: context.clock, show: (line) => out.line(line) });
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on("line", (line) => (line.trim() === "/quit" ? chat.leave() : chat.typed(line)));
  // What a pipe said gets its answers; a person who presses Ctrl-D leaves.
  lines.once("close", () => (process.stdin.isTTY ? chat.leave() : chat.leaveWhenQuiet(context)));
  signal.addEventListener("abort", () => chat.leave(), { once: true });
  const why = await chat.left;
  lines.close();
  process.stdin.unref?.();
  if (why === "hung-up") throw new UserError("the gateway has gone", "start it again with: talaria gateway run");
}

interface Seat {
  readonly who: string;
  readonly chat: string;
}

async function reach(context: CliContext): Promise<Socket> {
  const path = await socketPath(context);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () =>
      reject(
        new UserError(
          `no gateway with a console runs in ${context.home.root}`,
          "add `platforms: { console: { owners: [me] } }` to config.yaml (talaria config edit) and start: talaria gateway run",
          EXIT["not-found"],
        ),
      ),
    );
  });
}

async function socketPath({ home, env, config }: CliContext): Promise<string> {
  const { accountsOf } = await import("#app/gateway/accounts.js");
  const { accounts } = await accountsOf({ home, env, config: await config() });
  const console = accounts.find(({ kind }) => kind.name === "console");
  const { socket } = (console?.settings ?? {}) as { readonly socket?: string };
  return socket ?? join(home.run, "console.sock");
}

interface Screen {
  readonly clock: Clock;
  show(line: string): void;
}

interface Told {
  readonly type: string;
  readonly id?: string;
  readonly receipt?: string;
  readonly text?: string;
  readonly why?: string;
  readonly buttons?: readonly { readonly label: string; readonly token: string }[];
}

/** An answer that still grows is shown when it rests for so long. */
const SETTLE_MS = 600;
/** After the last answer a pipe waits so long for more. */
const QUIET_MS = 3_000;
const BUTTONS_MAX = 20;

class ConsoleChat {
  readonly left: Promise<"left" | "hung-up">;
  #settle: (how: "left" | "hung-up") => void = () => undefined;
  #rest = "";
  #buttons: readonly { readonly label: string; readonly token: string }[] = [];
  #heardMs = 0;
  #waiting = 0;
  /** What is shown of each message: of one that has grown, the rest is. */
  readonly #shown = new Map<string, string>();
  readonly #settling = new Map<string, { put(): void; forget(): void }>();

  constructor(
    private readonly socket: Socket,
    private readonly seat: Seat,
    private readonly screen: Screen,
  ) {
    this.left = new Promise((resolve) => {
      this.#settle = resolve;
    });
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => this.#take(chunk));
    socket.on("close", () => this.#hungUp());
    socket.on("error", () => this.#hungUp());
    this.#tell({ type: "hello", chat: seat.chat });
  }

  typed(line: string): void {
    if (line.trim() === "") return;
    const { chat, who } = this.seat;
    const pressed = /^\d{1,2}$/.test(line.trim()) ? this.#buttons[Number(line.trim()) - 1] : undefined;
    if (pressed !== undefined) {
      this.#tell({ type: "press", chat, who, token: pressed.token });
    }
    // A number that is typed later answers another question.
    this.#buttons = [];
    if (pressed !== undefined) return;
    this.#waiting++;
    this.#tell({ type: "say", id: randomIds<string>(), chat, who, text: line });
  }

  leave(): void {
    this.#settle("left");
    this.socket.end();
    this.socket.destroy();
  }

  leaveWhenQuiet({ clock }: CliContext): void {
    this.#heardMs = clock.monotonicMs();
    const look = (): void => {
      const isQuiet = this.#waiting <= 0 && clock.monotonicMs() - this.#heardMs > QUIET_MS;
      if (isQuiet) this.leave();
      else clock.after(QUIET_MS / 10, look);
    };
    this.#onHeard = () => {
      this.#heardMs = clock.monotonicMs();
    };
    look();
  }

  #onHeard: () => void = () => undefined;

  private show(line: string): void {
    this.screen.show(line);
  }

  #tell(line: Readonly<Record<string, unknown>>): void {
    this.socket.write(`${JSON.stringify(line)}\n`);
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") this.#hear(JSON.parse(line) as Told);
  }

  #hear({ type, id, receipt, text = "", why, buttons }: Told): void {
    this.#onHeard();
    switch (type) {
      case "message":
      case "edit":
        this.#message(receipt ?? id ?? "", text, buttons);
        if (id !== undefined) this.#tell({ type: "shown", id });
        return;
      case "answer":
        this.show(`· ${visibleLines(text)}`);
        return;
      case "not-kept":
      case "refused":
        this.#waiting--;
        this.show(`· not taken: ${visibleLines(why ?? "")}`);
    }
  }

  #message(name: string, text: string, buttons: Told["buttons"]): void {
    this.#settling.get(name)?.forget();
    const put = (): void => this.#put(name, text, buttons);
    this.#settling.set(name, { put, forget: this.screen.clock.after(SETTLE_MS, put) });
  }

  /** What was told and still rested is shown: we said that it was. */
  #hungUp(): void {
    for (const { put, forget } of [...this.#settling.values()]) {
      forget();
      put();
    }
    this.#settle("hung-up");
  }

  #put(name: string, text: string, buttons: Told["buttons"]): void {
    this.#settling.delete(name);
    this.#waiting--;
    const before = this.#shown.get(name);
    this.#shown.set(name, text);
    if (before === text) return;
    const isGrown = before !== undefined && text.startsWith(before);
    this.show(isGrown ? visibleLines(text.slice(before.length).trimStart()) : `talaria: ${visibleLines(text)}`);
    if (buttons === undefined) return;
    this.#buttons = buttons.slice(0, BUTTONS_MAX);
    for (const [at, { label }] of this.#buttons.entries()) this.show(`  ${at + 1}. ${visibleLines(label)}`);
  }
}

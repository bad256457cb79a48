/** `talaria gateway console`: a person at the console platform of a gateway that runs. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural } from "../format.js";
import { ConsoleLine, type ConsoleSeat, reachConsole, type Told, UNKEPT_MAX } from "./gateway-console-line.js";
import { ConsoleScreen } from "./gateway-console-screen.js";

export interface ConsoleOptions {
  readonly as: string;
  readonly chat?: string;
}

export async function run(context: CliContext, options: ConsoleOptions): Promise<void> {
  const { path, isConfigured } = await consoleOf(context);
  const socket = await reachConsole(path).catch(() => {
    throw new UserError(
      `no gateway with a console runs in ${context.home.root}`,
      isConfigured
        ? "start it with: talaria gateway run"
        : "add `platforms: { console: { owners: [me] } }` to config.yaml (talaria config edit) and start: talaria gateway run",
      EXIT["not-found"],
    );
  });
  const seat: ConsoleSeat = { who: options.as, chat: options.chat ?? options.as };
  const { out, signal } = context;
  const where = seat.chat.startsWith("#") ? `the group ${seat.chat}` : "a direct chat";
  out.note(`You are ${seat.who}, in ${where}. Write something; /quit leaves and loses nothing.`);
  const chat = new ConsoleChat(context, seat, path);
  chat.line.take(socket);
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on("line", (line) => (line.trim() === "/quit" ? chat.leave() : chat.typed(line)));
  // What a pipe said gets its answers; a person who presses Ctrl-D leaves.
  lines.once("close", () => (process.stdin.isTTY ? chat.leave() : chat.leaveWhenQuiet()));
  signal.addEventListener("abort", () => chat.leave(), { once: true });
  const why = await chat.left;
  lines.close();
  process.stdin.unref?.();
  const unsaid = `${formatPlural(chat.line.unkept, "message was", "messages were")} not sent`;
  if (why === "hung-up") {
    const lost = chat.line.unkept > 0 ? `, and ${unsaid}` : "";
    throw new UserError(`the gateway has gone${lost}`, "start it again with: talaria gateway run");
  }
  if (chat.line.unkept > 0) out.warn(`${unsaid}: the gateway had not taken ${chat.line.unkept === 1 ? "it" : "them"}`);
}

async function consoleOf({ home, env, config }: CliContext): Promise<{ path: string; isConfigured: boolean }> {
  const { accountsOf } = await import("#app/gateway/accounts.js");
  const { accounts } = await accountsOf({ home, env, config: await config() });
  const console = accounts.find(({ kind }) => kind.name === "console");
  const { socket } = (console?.settings ?? {}) as { readonly socket?: string };
  return { path: socket ?? join(home.run, "console.sock"), isConfigured: console !== undefined };
}

/** After the last answer a pipe waits so long for more. */
const QUIET_MS = 3_000;

class ConsoleChat {
  readonly line: ConsoleLine;
  readonly left: Promise<"left" | "hung-up">;
  readonly #screen: ConsoleScreen;
  #settle: (how: "left" | "hung-up") => void = () => undefined;
  #isInputOver = false;
  #isOver = false;
  #heardMs = 0;
  /** Answers that a pipe still waits for. */
  #waiting = 0;

  constructor(
    private readonly context: CliContext,
    seat: ConsoleSeat,
    path: string,
  ) {
    const { clock } = context;
    this.left = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const columns = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);
    const write = (text: string): void => void process.stdout.write(text);
    this.#screen = new ConsoleScreen({ clock, columns, write }, () => this.#waiting--);
    this.line = new ConsoleLine(
      { path, seat, clock },
      { heard: (told) => this.#hear(told), gone: () => this.#gone(), back: (said) => this.#back(said) },
    );
  }

  typed(line: string): void {
    if (line.trim() === "") return;
    const button = this.#screen.button(line);
    if (button !== undefined && !this.line.press(button.token)) {
      this.#screen.remark(`The gateway is away: nothing was pressed. Type ${line.trim()} again when it is back.`);
      return;
    }
    this.#screen.forgetButtons();
    if (button === undefined) this.#say(line);
  }

  leave(): void {
    this.#end("left");
  }

  leaveWhenQuiet(): void {
    const { clock } = this.context;
    this.#isInputOver = true;
    this.#heardMs = clock.monotonicMs();
    const look = (): void => {
      if (this.#isOver) return;
      const isQuiet = this.#waiting <= 0 && clock.monotonicMs() - this.#heardMs > QUIET_MS;
      if (isQuiet) this.leave();
      else clock.after(QUIET_MS / 10, look);
    };
    look();
  }

  #say(text: string): void {
    switch (this.line.say(text)) {
      case "said":
        this.#waiting++;
        return;
      case "waits":
        this.#waiting++;
        this.#screen.remark("Not sent yet: it goes out when the gateway is back.");
        return;
      case "full":
        this.#screen.remark(`Not sent: ${UNKEPT_MAX} messages wait already. Write it again when the gateway is back.`);
    }
  }

  #hear({ type, id, receipt, text = "", why = "", buttons }: Told): void {
    this.#heardMs = this.context.clock.monotonicMs();
    switch (type) {
      case "message":
      case "edit":
        this.#screen.message({ name: receipt ?? id ?? "", text, buttons });
        return;
      case "answer":
        this.#screen.remark(text);
        return;
      case "not-kept":
      case "refused":
        this.#waiting--;
        this.#screen.remark(`Not taken: ${why}`);
    }
  }

  /** Nobody is left who could wait for it at the end of a pipe. */
  #gone(): void {
    this.#screen.flush();
    if (this.#isInputOver) this.#end("hung-up");
    else this.#screen.remark("The gateway has gone; this goes on when it is back. Ctrl-C leaves.");
  }

  #back(said: number): void {
    const words = said === 0 ? "" : ` ${formatPlural(said, "message was", "messages were")} sent.`;
    this.#screen.remark(`The gateway is back.${words}`);
  }

  #end(how: "left" | "hung-up"): void {
    this.#isOver = true;
    this.line.leave();
    this.#settle(how);
  }
}

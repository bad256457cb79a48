/** `talaria chat`: checks what was asked for, starts the runtime, and hands over to one run or to the chat of lines. */
import type { StartedRuntime } from "#app/start-runtime.js";
import { UserError } from "#base/errors.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { jsonDisplay, streamDisplay } from "./json-display.js";
import { chatByLines } from "./line-chat.js";
import { type LineInput, pipedInput, readMessage, terminalInput } from "./line-input.js";
import { runOnce } from "./one-run.js";
import { type ChatOptions, checkOptions, isOneRun, workingDirectory } from "./options.js";
import { createScreen } from "./screen.js";
import { completeSlash } from "./slash-line.js";
import { processSurface } from "./surface.js";
import { type ChatParts, CLI_START } from "./talk.js";

/** A wait for the home's lock that is longer than this is explained. */
const PATIENCE_MS = 1_000;

export async function chat(context: CliContext, options: ChatOptions): Promise<void> {
  const { out, signal, clock } = context;
  checkOptions(options, out.json);
  const cwd = workingDirectory(options);
  const text = options.query === "-" ? await readMessage(signal) : options.query;
  if (text?.trim() === "") throw new UserError("an empty message says nothing", "nothing was stored", EXIT.usage);
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const isOnce = isOneRun(options, isTerminal);
  const started = await startRuntime(context, options, cwd);
  const start: SessionStart = {
    ...CLI_START,
    model: started.model.label,
    cwd,
    ...(options.model === undefined ? {} : { settings: { model: started.model.label } }),
  };
  const parts = { context, started, start, isModelChosen: options.model !== undefined };
  const input = isTerminal ? terminalInput(clock, completeSlash) : undefined;
  if (isOnce) return runOnce(displayed(parts, options, input), options, text);
  const surface = processSurface(out);
  const screen = createScreen(surface, isTerminal ? "slash" : "flags");
  await chatByLines({ ...parts, display: screen, screen, surface }, options, input ?? pipedInput(signal));
}

async function startRuntime(context: CliContext, options: ChatOptions, cwd: string): Promise<StartedRuntime> {
  const home = context.prepareHome();
  const [app, config, log] = await Promise.all([
    import("#app/start-runtime.js"),
    context.config(),
    context.log("chat"),
  ]);
  const { clock, version, env, out } = context;
  const explain = clock.after(PATIENCE_MS, () => out.note("Waiting for another chat in this home to end…"));
  try {
    const model = options.model === undefined ? {} : { model: options.model };
    const wish = { home, clock, version, env, config, log, cwd, ...model, isYolo: options.yolo === true };
    return await app.startRuntime(wish);
  } finally {
    explain();
  }
}

/** A program reads JSON and is never asked; a person at a terminal may be. */
function displayed(parts: Omit<ChatParts, "display">, options: ChatOptions, input: LineInput | undefined) {
  const { out } = parts.context;
  if (out.json) return { ...parts, display: jsonDisplay(out) };
  if (options.streamJson === true) return { ...parts, display: streamDisplay(out) };
  const surface = processSurface(out);
  const screen = createScreen(surface, "flags");
  const interrupt = (): void => parts.context.interrupt();
  const terminal = input === undefined ? {} : { terminal: { input, screen, style: surface, interrupt } };
  return { ...parts, display: screen, ...terminal };
}

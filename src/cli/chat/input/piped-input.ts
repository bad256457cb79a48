/** Lines, or one whole message, from a pipe. Nobody can be asked there. */
import { StringDecoder } from "node:string_decoder";
import { UserError } from "#base/errors.js";
import { INPUT_CHARS_MAX } from "#session/input.js";
import { EXIT } from "../../exit-codes.js";
import type { LineInput, ReadLine } from "./line-input.js";

/** Every line of stdin, whole and bounded. */
export function pipedInput(signal: AbortSignal): LineInput {
  const lines = linesOf(process.stdin);
  const stopped = aborted(signal);
  const read = async (): Promise<ReadLine> => {
    const next = await Promise.race([lines.next(), stopped]);
    if (next !== undefined && next.done !== true) return { kind: "line", text: next.value };
    // Nothing more is wanted of it: a pipe that stays open must not keep the process.
    process.stdin.destroy();
    return { kind: "end" };
  };
  const nothing = (): void => undefined;
  return {
    isTerminal: false,
    read,
    ask: async () => ({ kind: "end" }),
    listen: () => nothing,
    unread: nothing,
    interject: (write) => write(),
    holdBack: nothing,
  };
}

async function* linesOf(stream: NodeJS.ReadStream): AsyncGenerator<string, void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.write(chunk as Buffer)).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) yield line.replace(/\r$/, "");
    if (rest.length > INPUT_CHARS_MAX) throw tooLong();
  }
  rest += decoder.end();
  if (rest !== "") yield rest;
}

/** `-q -`: stdin is one message. The line break at its end is the shell's, not the person's. */
export async function readMessage(signal: AbortSignal): Promise<string> {
  const decoder = new StringDecoder("utf8");
  let text = "";
  const chunks = process.stdin[Symbol.asyncIterator]();
  const stopped = aborted(signal);
  for (;;) {
    const next = await Promise.race([chunks.next(), stopped]);
    signal.throwIfAborted();
    if (next === undefined || next.done === true) break;
    text += decoder.write(next.value as Buffer);
    if (text.length > INPUT_CHARS_MAX + 2) throw tooLong();
  }
  return (text + decoder.end()).replace(/\r?\n$/, "");
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

function tooLong(): UserError {
  return new UserError(
    `a message has at most ${INPUT_CHARS_MAX.toLocaleString("en-US")} characters`,
    "nothing of it was sent; put long text into a file and name the file",
    EXIT.usage,
  );
}

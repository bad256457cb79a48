/** `talaria send`: a message from the shell to a chat. */
import { InvalidArgumentError } from "commander";
import { addExamples, type Register } from "../command.js";

export const register: Register = (command, context) => {
  command
    .description(
      "Send a message to a chat. It is stored first and sent by the gateway, in order, once; while none runs it waits. " +
        "With --wait this ends with 0 when it was sent, 6 when it still waits, 1 when it cannot be.",
    )
    .argument("[text...]", "what to say; - or nothing reads stdin")
    .requiredOption("--to <chat>", "platform[@account]:chat[:thread], or without a chat the home chat")
    .option("--account <name>", "which of our accounts there, when there are several")
    .option("--file <path...>", "files that go along")
    .option("--wait <seconds>", "wait so long for its receipt", parseSeconds)
    .action(async (words: readonly string[], options) =>
      (await import("./send-run.js")).send(context, words.join(" "), options),
    );
  addExamples(command, [
    ['talaria send --to telegram:42 "The build is done."', "to a chat"],
    ["make 2>&1 | tail -5 | talaria send --to irc:#ops -", "from a pipe"],
    ['talaria send --to telegram --wait 10 "hello"', "to its home chat"],
  ]);
};

const WAIT_S_MAX = 86_400;

function parseSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= WAIT_S_MAX)) throw new InvalidArgumentError(`expected 0 to ${WAIT_S_MAX}`);
  return seconds;
}

/** `talaria chat`: talk to the agent, one message from the shell or line by line. */
import { type Command, Option } from "commander";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { ChatOptions } from "../chat/options.js";
import { addExamples, type CliContext, type Register } from "../command.js";
import { EXIT } from "../exit-codes.js";

export const register: Register = (command, context) => {
  command
    .description(
      "Talk to the agent. With -q one message is answered on stdout; without it every line is a message. What was " +
        "said is stored before it is answered, so a chat that was killed goes on with -r.",
    )
    .option("-q, --query <text>", "say this and print the answer; - reads stdin")
    .option("-c, --continue [session]", "go on in the newest terminal chat, or by title")
    .option("-r, --resume <session>", "go on in a conversation: id, prefix or title")
    .option("--title <name>", "a title for the new conversation")
    .option("--model <provider/name>", "the model to ask")
    .option("--cwd <dir>", "where tools work (a new conversation: here)")
    .option("--yolo", "never ask before a tool runs")
    .addOption(new Option("--approve [how]", "allow what waits").choices(["once", "session", "always"]).preset("once"))
    .option("--deny", "refuse what waits")
    .option("--reply <text>", "answer a question that waits")
    .option("--retry", "ask the last message again (with -r or -c)")
    .option("--message-id <id>", "the same id twice is one message")
    .option("--stream-json", "print events as JSON lines, the result last")
    .allowExcessArguments()
    .action(async (options: ChatOptions, { args }: Command) => {
      if (args.length > 0) throw wordsAlone(args);
      await (await import("../chat/chat.js")).chat(context, options);
    });
  addChatExamples(command);
};

/** The first thing many people try: the message without -q. */
function wordsAlone(words: readonly string[]): UserError {
  const text = words.join(" ").replace(/["\\$`]/g, "\\$&");
  return new UserError("a message needs -q", `talaria chat -q "${visible(text)}"`, EXIT.usage);
}

/** `talaria` without a word. */
export async function chatBare(context: CliContext): Promise<void> {
  await (await import("../chat/chat.js")).chat(context, {});
}

function addChatExamples(command: Command): void {
  addExamples(command, [
    ["talaria chat", "line by line, until Ctrl-D"],
    ['talaria chat -q "what is in notes.txt?"', "one answer on stdout"],
    ["git diff | talaria chat -q -", "the message from stdin"],
    ['talaria chat -c -q "and now?"', "go on in the last one"],
    ["talaria chat -r 7h3k --approve once", "answer what waits there"],
  ]);
}

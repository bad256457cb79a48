/** `talaria models`: which model answers and why, what a provider offers, and choosing another. */
import { addExamples, type Register } from "../command.js";

interface ModelsOptions {
  readonly list?: boolean | string;
  readonly test?: boolean;
  readonly model?: string;
}

export const register: Register = (command, context) => {
  command
    .description("Show which model answers and why, its fallbacks, and what is known of its window and price.")
    .option("--list [provider]", "list the models that a provider offers to you")
    .option("--test", "ask the model for one word")
    .option("--model <provider/name>", "look at this one instead of yours")
    .action(async ({ list, test, model }: ModelsOptions) => {
      if (list !== undefined) {
        const { listOffers } = await import("./models-list.js");
        return listOffers(context, typeof list === "string" ? list : model);
      }
      const { showModels } = await import("./models-show.js");
      return showModels(context, { isTested: test === true, ...(model === undefined ? {} : { label: model }) });
    });
  addExamples(command, [
    ["talaria models", "what answers, and why"],
    ["talaria models --test", "does it answer?"],
    ["talaria models --list openrouter", "what there is to choose from"],
    ["talaria models use ollama/qwen3:8b", "choose one"],
  ]);

  const use = command
    .command("use")
    .summary("use a model from now on")
    .description("Write a model into config.yaml, when its key is there. The file as it was is kept beside it.")
    .argument("<model>", "provider/name, for example anthropic/claude-sonnet-4-5")
    .option("--force", "write it although its key or address is missing")
    .action(async (label: string, { force }: { readonly force?: boolean }) =>
      (await import("./models-use.js")).useModel(context, label, { isForced: force === true }),
    );
  addExamples(use, [
    ["talaria models use openai/gpt-5.1", "the key is in OPENAI_API_KEY"],
    ["talaria models use openrouter/openai/gpt-5.1", "names may have slashes"],
    ["talaria models use demo", "the scripted one, offline"],
  ]);
};

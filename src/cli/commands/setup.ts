/** `talaria setup`: from nothing to a model that answers. Asks in a terminal; elsewhere flags say everything. */
import { addExamples, type Register } from "../command.js";

export interface SetupOptions {
  readonly provider?: string;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly yes?: boolean;
  readonly test: boolean;
}

export const register: Register = (command, context) => {
  command
    .description(
      "Look for keys and local servers, test the connection and write the choice into config.yaml. A key that is " +
        "typed in goes into .env, closed to others. Without a terminal nothing is asked: pass --provider, or --yes " +
        "to take the first that is found.",
    )
    .option("--provider <name>", "openai, anthropic, google, openrouter, ollama, …")
    .option("--name <model>", "the model; else the provider's usual one")
    .option("--base-url <address>", "where its API is, if not at the usual place")
    .option("--api-key-env <variable>", "the variable that holds the key")
    .option("-y, --yes", "ask nothing")
    .option("--no-test", "write it without asking the model for a word")
    .action(async (options: SetupOptions) => (await import("./setup-run.js")).runSetup(context, options));
  addExamples(command, [
    ["talaria setup", "asks what it needs to know"],
    ["talaria setup --provider anthropic --yes", "the key is in a variable"],
    ["talaria setup --provider ollama --name qwen3:8b", "on your own machine"],
    ["talaria setup --json", "what is found, for programs"],
  ]);
};

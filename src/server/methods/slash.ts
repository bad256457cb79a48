/** Slash commands, completion, and a command line of the person's own. */
import { catalogue } from "#command/catalogue.js";
import { completeLine } from "#command/complete.js";
import { completePath } from "#command/complete-path.js";
import { matchingCommands } from "#command/parse.js";
import type { Result } from "#protocol/methods.js";
import type { ServerContext } from "../context.js";
import { Refusal } from "../failure.js";
import type { Call, HandlersOf } from "../handler.js";
import { runSlash, type SlashAnswer, slashContext, spokenNext } from "../slash.js";
import { cwdOf, targetOf } from "../target.js";

const STDOUT_CHARS_MAX = 4_000;
const STDERR_CHARS_MAX = 2_000;
const NAME_CHARS_SHOWN = 40;

/** Terminal clients take these shapes for an order: send this, put this into the line. */
function dispatched({ say, next }: SlashAnswer): Result<"command.dispatch"> {
  const notice = say.length === 0 ? {} : { notice: say.join("\n") };
  const spoken = { next: spokenNext(next) };
  switch (next.kind) {
    case "send":
      return { type: "send", message: next.text, ...notice, ...spoken };
    case "prefill":
      return { type: "prefill", message: next.text, ...notice, ...spoken };
    default:
      return { type: "exec", output: say.join("\n\n"), ...spoken };
  }
}

async function exec(server: ServerContext, sid: string, line: string, call: Call): Promise<SlashAnswer> {
  const answer = await runSlash(server, call, { sid, line });
  if (answer.kind === "unknown" || answer.kind === "ambiguous") {
    throw new Refusal("unknownCommand", answer.say.join(" "));
  }
  if (answer.kind === "busy") throw new Refusal("busy", answer.say.join(" "));
  return answer;
}

export const slashHandlers: HandlersOf<
  Extract<keyof typeof import("#protocol/methods/slash.js").slashMethods, string>
> = {
  async "commands.catalog"(server, _params, { connection }) {
    const { pairs, canon, sub, categories } = catalogue(await slashContext(server, connection, undefined));
    return {
      pairs: pairs.map(([name, about]) => [name, about]),
      canon: { ...canon },
      sub: Object.fromEntries(Object.entries(sub).map(([name, words]) => [name, [...words]])),
      categories: categories.map((one) => ({ name: one.name, pairs: one.pairs.map(([name, about]) => [name, about]) })),
      skill_count: 0,
      warning: "",
    };
  },
  async "slash.exec"(server, { session_id, command }, call) {
    const line = command.trim().replace(/^\//, "");
    if (line === "") throw new Refusal("emptyText", "name a command");
    const answer = await exec(server, session_id, `/${line}`, call);
    const { next, say } = answer;
    if (next.kind === "send" || next.kind === "prefill") return dispatched(answer);
    const refused = answer.kind === "ran" ? {} : { is_refused: true };
    return { output: say.join("\n\n"), next: spokenNext(next), ...refused };
  },
  async "command.dispatch"(server, { name, arg, session_id }, call) {
    const word = name.trim().replace(/^\//, "");
    if (word === "") throw new Refusal("emptyText", "name a command");
    return dispatched(await exec(server, session_id, `/${word} ${arg}`.trim(), call));
  },
  async "command.resolve"(server, { name }, { connection }) {
    const word = name.trim().replace(/^\//, "");
    const found = word === "" ? [] : matchingCommands(word, await slashContext(server, connection, undefined));
    const [command, ...others] = found;
    if (command === undefined || others.length > 0) {
      const why = command === undefined ? "unknown command" : "several commands begin like that";
      throw new Refusal("unknownCommandName", `${why}: ${word.slice(0, NAME_CHARS_SHOWN)}`);
    }
    return { canonical: `/${command.name}`, description: command.summary, category: command.category };
  },
  async "complete.slash"(server, { text, session_id: sid = "" }, { connection }) {
    const target = sid === "" ? undefined : await targetOf(server, sid);
    const { items, replaceFrom } = await completeLine(text, await slashContext(server, connection, target));
    return { items: items.map((item) => ({ ...item })), replace_from: replaceFrom };
  },
  async "complete.path"(server, { word, cwd, session_id }) {
    const items = await completePath(word, {
      cwd: cwd ?? (await cwdOf(server, session_id)),
      clock: server.clock,
    });
    return { items: items.map((item) => ({ ...item })) };
  },
  async "shell.exec"(server, { command, session_id }, { signal }) {
    if (command.trim() === "") throw new Refusal("emptyText", "name a command");
    const answer = await server.machine.shell(command, await cwdOf(server, session_id), signal);
    switch (answer.kind) {
      case "refused":
        throw new Refusal("dangerous", answer.why);
      case "timed-out":
        throw new Refusal("shellTimedOut", "the command took too long and was ended");
      case "ran":
        return {
          stdout: answer.stdout.slice(-STDOUT_CHARS_MAX),
          stderr: answer.stderr.slice(-STDERR_CHARS_MAX),
          code: answer.code,
        };
    }
  },
};

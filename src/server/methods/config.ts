/** Settings, models and set-up. What a client may change here is what `/model`, `/yolo` and the settings file can too. */
import { switchModel } from "#command/setting/model.js";
import type { Params, Result } from "#protocol/methods.js";
import type { ServerContext } from "../context.js";
import { Refusal } from "../failure.js";
import type { Call, HandlersOf } from "../handler.js";
import { runSlash, slashContext } from "../slash.js";
import { cwdOf, targetOf } from "../target.js";

/** How terminal clients look when nothing is set; they keep what is set for their own time. */
const LOOKS: Readonly<Record<string, string>> = {
  skin: "default",
  indicator: "default",
  personality: "none",
  fast: "normal",
  busy: "queue",
  details_mode: "collapsed",
  thinking_mode: "collapsed",
  compact: "off",
  statusbar: "on",
  mouse: "off",
  verbose: "off",
};

type Get = (server: ServerContext, params: Params<"config.get">) => Promise<Result<"config.get">>;

const GET: Readonly<Record<string, Get>> = {
  full: async ({ settings }) => ({ config: { ...(await settings.all()) } }),
  mtime: async ({ settings }) => ({ mtime: await settings.changedAt() }),
  provider: async ({ models }) => {
    const { label } = models.current();
    const providers = (await models.providers()).map(({ slug, name }) => ({ slug, name }));
    const notes = models.notes?.() ?? [];
    const warning = notes.length === 0 ? {} : { warning: notes.join("\n") };
    return { model: nameOf(label), provider: providerOf(label), providers, ...warning };
  },
  profile: async ({ host }) => ({ home: host.home, display: host.home }),
  project: async (server, { cwd, session_id }) => ({ cwd: cwd ?? (await cwdOf(server, session_id)), branch: "" }),
  prompt: async () => ({ prompt: "" }),
  reasoning: async () => ({ value: "medium", display: "hide" }),
};

async function set(server: ServerContext, params: Params<"config.set">, call: Call): Promise<Result<"config.set">> {
  const { key, value, session_id: sid = "", scope = "session" } = params;
  const words = value === undefined || value === null ? "" : String(value);
  if (key === "model") {
    const global = /(^|\s)--global(\s|$)/.test(words) || scope === "global" ? " --global" : "";
    const target = sid === "" ? undefined : await targetOf(server, sid);
    const context = await slashContext(server, call.connection, target);
    const switched = await switchModel(context, `${modelWords(words)}${global}`);
    if (switched.kind === "refused") throw new Refusal("agentFailed", switched.why);
    return { key, value: modelWords(words), warning: switched.told };
  }
  if (key === "yolo") {
    const answer = await runSlash(server, call, {
      sid,
      line: `/yolo ${isOn(words) ? "on" : words === "" ? "" : "off"}`,
    });
    if (answer.kind !== "ran") throw new Refusal("failed", answer.say.join(" "));
    return { key, value: isOn(words) ? "1" : "0", scope };
  }
  if (!Object.hasOwn(LOOKS, key.split(".")[0] ?? "")) throw new Refusal("unknownKey", `unknown key: ${key}`);
  return { key, value: words };
}

/** A picker sends `name --provider slug`. */
function modelWords(words: string): string {
  const [, provider] = /--provider[ =](\S+)/.exec(words) ?? [];
  const name = words.replace(/--\w+([ =]\S+)?/g, " ").trim();
  return provider === undefined || name.startsWith(`${provider}/`) ? name : `${provider}/${name}`;
}

function isOn(words: string): boolean {
  return /^(1|on|true|yes)$/i.test(words.trim());
}

export const configHandlers: HandlersOf<"config.get" | "config.set" | "setup.status" | "model.options" | "reload.mcp"> =
  {
    async "config.get"(server, params) {
      const { key } = params;
      if (Object.hasOwn(GET, key)) return (await GET[key]?.(server, params)) ?? {};
      if (Object.hasOwn(LOOKS, key)) return { value: LOOKS[key] ?? "" };
      throw new Refusal("unknownKey", `unknown key: ${key}`);
    },
    "config.set": set,
    // The demo model answers where no provider is set: a client need not stop at a set-up panel.
    "setup.status": () => ({ provider_configured: true }),
    async "model.options"({ models }) {
      const { label } = models.current();
      const providers = (await models.providers()).map((row) => ({
        slug: row.slug,
        name: row.name,
        models: [...row.models],
        total_models: row.models.length,
        is_current: row.isCurrent,
        authenticated: row.hasKey,
        auth_type: "api_key",
        ...(row.keyVariable === undefined ? {} : { key_env: row.keyVariable }),
      }));
      return { model: nameOf(label), provider: providerOf(label), providers };
    },
    "reload.mcp": () => ({ status: "reloaded", message: "There are no MCP servers." }),
  };

function providerOf(label: string): string {
  return label.split("/", 1)[0] ?? "";
}

function nameOf(label: string): string {
  return label.slice(label.indexOf("/") + 1);
}

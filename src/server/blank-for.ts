/** What a client opens: where it works and with what. A wrong directory is told at once, not after the first message. */
import { isAbsolute } from "node:path";
import { type ConversationId, ID_PATTERN } from "#base/ids.js";
import type { Params } from "#protocol/methods.js";
import type { Connection } from "./connection.js";
import type { ServerContext } from "./context.js";
import { Refusal } from "./failure.js";
import type { Blank } from "./parts.js";

const SOURCE_PATTERN = /^[a-z][a-z0-9_-]{0,31}$/;

export async function blankFor(
  server: ServerContext,
  connection: Connection,
  params: Params<"session.create">,
): Promise<Blank> {
  const { host, machine, newId, clock, models, commands } = server;
  const { cwd = connection.cwd ?? host.cwd, title, model, source = connection.platform, yolo, settings } = params;
  if (!isAbsolute(cwd) || !(await machine.isDirectory(cwd))) {
    throw new Refusal("badPath", `${cwd.slice(0, 200)} is not a folder on the host's machine`);
  }
  const label = model === undefined || model === "" ? undefined : await chosen(commands.models, model, params.provider);
  const resetFrom = connection.left;
  connection.left = undefined;
  return {
    id: (await promised(server, params.session_id)) ?? newId(),
    cwd,
    source: SOURCE_PATTERN.test(source) ? source : connection.platform,
    title: title === undefined || title.trim() === "" ? undefined : title,
    model: label ?? models.current().label,
    settings: {
      ...settings,
      ...(label === undefined ? {} : { model: label }),
      ...(yolo === true ? { yolo: true } : {}),
    },
    createdMs: clock.nowMs(),
    resetFrom,
  };
}

/** An id of ours that leads nowhere yet. */
async function promised({ store }: ServerContext, id: string | undefined): Promise<ConversationId | undefined> {
  if (id === undefined || !ID_PATTERN.test(id)) return undefined;
  const known = await store.resolve({ text: id });
  return known.kind === "unknown" ? (id as ConversationId) : undefined;
}

async function chosen(
  models: ServerContext["commands"]["models"],
  model: string,
  provider: string | undefined,
): Promise<string> {
  const words = provider === undefined || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
  const checked = await models?.check(words);
  if (checked === undefined) return words;
  if (checked.kind === "unusable") {
    throw new Refusal("agentFailed", checked.hint === undefined ? checked.why : `${checked.why}; ${checked.hint}`);
  }
  return checked.label;
}

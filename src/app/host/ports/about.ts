/** What commands and panels tell about this host: the tools a turn would have, and where a conversation is saved. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openReplacement } from "#base/atomic-file.js";
import { InvariantError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { SlashPorts } from "#command/ports.js";
import type { Tool } from "#tool/tool.js";
import type { WorksParts } from "../make-server.js";

type AboutPorts = Required<Pick<SlashPorts, "tools" | "toolTokens" | "save">>;

export function aboutPorts(parts: WorksParts): AboutPorts {
  let own: Promise<readonly Tool[]> | undefined;
  const atHand = async (): Promise<readonly Tool[]> => {
    own ??= ownTools(parts);
    return [...(await own), ...parts.extensions.tools()];
  };
  return {
    async tools() {
      const tools = await atHand();
      return tools.map(({ name, description }) => ({ name, about: description.split("\n", 1)[0] ?? "" }));
    },
    async toolTokens() {
      const [{ createToolset }, { estimateTokens }] = await Promise.all([
        import("#tool/toolset.js"),
        import("#agent/tokens.js"),
      ]);
      return estimateTokens({ tools: createToolset(await atHand()).specs() });
    },
    save: (conversation) => save(parts, conversation),
  };
}

/** Loaded when somebody asks: most clients look at lists and never at a tool. */
async function ownTools({ wish, store, processes }: WorksParts): Promise<readonly Tool[]> {
  const { allTools } = await import("../../tools.js");
  const { agent } = wish.config.values;
  const runChild = (): never => {
    throw new InvariantError("a tool of the list is never called");
  };
  return allTools({ store, processes, disabled: agent.tools.disabled, allowsPrivate: false }, { runChild });
}

/** Lossless, as `talaria sessions export` writes it; saved again it replaces what was there. */
async function save({ wish, store }: WorksParts, conversation: ConversationId): Promise<string> {
  const { exportConversations } = await import("../../transfer/export.js");
  const folder = join(wish.home.root, "exports");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${conversation}.jsonl`);
  const file = await openReplacement(path);
  const place = { write: (text: string) => file.write(text), isOwn: false, finish: async () => undefined };
  await exportConversations(
    store,
    {
      selection: { only: [conversation] },
      format: "jsonl",
      isRedacted: false,
      withSuperseded: true,
      signal: new AbortController().signal,
    },
    {
      open: async () => place,
      // What is not whole never takes the place of what was there.
      async close(isWhole) {
        await (isWhole ? file.commit() : file.discard());
      },
    },
  );
  return path;
}

/** What there is to work with, and what runs beside a turn. */
import type { ConversationId } from "#base/ids.js";
import type { ServerContext } from "../context.js";
import { Refusal } from "../failure.js";
import type { HandlersOf } from "../handler.js";
import { targetOf } from "../target.js";

/** A host has one set of tools, for all its conversations. */
const TOOLSET = "talaria";
const TOOLSET_ABOUT = "the tools a turn has here";
const OUTPUT_TAIL_CHARS_MAX = 2_000;

const toolsOf = async ({ commands }: ServerContext) => (await commands.tools?.()) ?? [];

async function idOf(server: ServerContext, sid: string): Promise<ConversationId> {
  const target = await targetOf(server, sid);
  return target.kind === "blank" ? target.blank.id : target.id;
}

export const workHandlers: HandlersOf<Extract<keyof typeof import("#protocol/methods/work.js").workMethods, string>> = {
  async "tools.list"(server) {
    const tools = (await toolsOf(server)).map(({ name }) => name);
    const about = { name: TOOLSET, description: TOOLSET_ABOUT, tool_count: tools.length, enabled: true };
    return { toolsets: [{ ...about, tools }] };
  },
  async "toolsets.list"(server) {
    const { length } = await toolsOf(server);
    return { toolsets: [{ name: TOOLSET, description: TOOLSET_ABOUT, tool_count: length, enabled: true }] };
  },
  async "tools.show"(server) {
    const tools = (await toolsOf(server)).map(({ name, about }) => ({ name, description: about }));
    return { sections: [{ name: TOOLSET, tools }], total: tools.length };
  },
  async "process.list"(server, { session_id }) {
    const processes = server.commands.processes?.list(await idOf(server, session_id)) ?? [];
    return {
      processes: processes.map(({ id, command, startedMs, isRunning, shown }) => ({
        id,
        command,
        status: isRunning ? "running" : "exited",
        started_at: startedMs / 1000,
        output_tail: shown().slice(-OUTPUT_TAIL_CHARS_MAX),
      })),
    };
  },
  async "process.kill"(server, { session_id, process_id: process }) {
    if (process === "") throw new Refusal("noProcessId", "name a process");
    const wasRunning = await server.commands.processes?.end(await idOf(server, session_id), process);
    if (wasRunning === undefined) throw new Refusal("noSuchProcess", "this session has no such process");
    return { killed: wasRunning, process_id: process };
  },
  "process.stop": async ({ machine }) => ({ killed: await machine.stopProcesses() }),
  // A child runs inside its parent's call and is shown there; none has a life of its own that could be listed.
  "delegation.status": () => ({ active: [], paused: false, max_spawn_depth: 1, max_concurrent_children: 1 }),
  "pet.cells": () => ({ enabled: false }),
};

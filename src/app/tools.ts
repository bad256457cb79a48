/** Every tool the agent has. The toolset puts them in order: it is part of what a provider caches. */
import type { ToolPorts } from "#runtime/parts.js";
import type { SessionStore } from "#session/store.js";
import { clarifyTool } from "#tool/clarify.js";
import { createDelegate } from "#tool/delegate.js";
import { patchTool } from "#tool/file/patch.js";
import { readFileTool } from "#tool/file/read-file.js";
import { searchFilesTool } from "#tool/file/search-files.js";
import { writeFileTool } from "#tool/file/write-file.js";
import { createSessionSearch } from "#tool/session-search/session-search.js";
import type { Processes } from "#tool/terminal/processes.js";
import { createTerminalTools } from "#tool/terminal/terminal.js";
import { todoTool } from "#tool/todo.js";
import type { Tool } from "#tool/tool.js";
import { selectTools } from "#tool/toolset.js";
import { createWebFetch } from "#tool/web/web-fetch.js";

export interface ToolWish {
  readonly store: SessionStore;
  readonly processes: Processes;
  readonly disabled: readonly string[];
  /** Lets `web_fetch` read addresses of this machine and its network. */
  readonly allowsPrivate: boolean;
}

export function allTools(wish: ToolWish, { runChild }: ToolPorts): readonly Tool[] {
  const { store, processes, disabled, allowsPrivate } = wish;
  const tools = [
    ...createTerminalTools({ processes }),
    readFileTool,
    writeFileTool,
    patchTool,
    searchFilesTool,
    createWebFetch(allowsPrivate ? { allow: () => true } : {}),
    todoTool,
    clarifyTool,
    createSessionSearch(store),
    createDelegate(runChild),
  ];
  return selectTools(tools, { disabled }).tools;
}

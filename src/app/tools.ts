/** Every tool the agent has, in the order the model sees them: the order is part of what a provider caches. */
import type { ToolPorts } from "#runtime/parts.js";
import { clarifyTool } from "#tool/clarify.js";
import { createDelegate } from "#tool/delegate.js";
import { patchTool } from "#tool/file/patch.js";
import { readFileTool } from "#tool/file/read-file.js";
import { writeFileTool } from "#tool/file/write-file.js";
import type { Processes } from "#tool/terminal/processes.js";
import { createTerminalTools } from "#tool/terminal/terminal.js";
import { todoTool } from "#tool/todo.js";
import type { Tool } from "#tool/tool.js";
import { selectTools } from "#tool/toolset.js";

export interface ToolWish {
  readonly processes: Processes;
  readonly disabled: readonly string[];
}

export function allTools({ processes, disabled }: ToolWish, { runChild }: ToolPorts): readonly Tool[] {
  const tools = [
    ...createTerminalTools({ processes }),
    readFileTool,
    writeFileTool,
    patchTool,
    todoTool,
    clarifyTool,
    createDelegate(runChild),
  ];
  return selectTools(tools, { disabled }).tools;
}

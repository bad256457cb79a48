/**
 * A folder and a context to run tools in: real files, a call that nobody stored, a home beside the working directory.
 * Goes away with its test.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.js";
import type { ConversationId, SessionId, ToolCallId, TurnId } from "../../src/base/ids.js";
import type { Guard, Tool, ToolContext, ToolResult } from "../../src/tool/tool.js";
import { removeFolder } from "./remove-folder.js";

export interface ToolBench {
  readonly cwd: string;
  readonly home: string;
  readonly context: ToolContext;
  /** Parses the input as the toolset does, then runs. */
  run(tool: Tool, input: unknown, given?: Partial<ToolContext>): Promise<ToolResult>;
  judge(tool: Tool, input: unknown): Promise<Guard>;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
}

export function toolBench(): ToolBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "talaria-tool-")));
  onTestFinished(() => removeFolder(folder));
  const cwd = join(folder, "work");
  const home = join(folder, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  const context: ToolContext = {
    cwd,
    home,
    signal: new AbortController().signal,
    clock: systemClock,
    call: "call-1" as ToolCallId,
    conversation: "conversation-1" as ConversationId,
    session: "session-1" as SessionId,
    turn: "turn-1" as TurnId,
    env: { PATH: process.env["PATH"] ?? "" },
    spoolDir: join(folder, "spool"),
    reply: undefined,
    report: () => undefined,
    recall: async () => undefined,
  };
  return {
    cwd,
    home,
    context,
    run: (tool, input, given = {}) => tool.run(tool.input.parse(input), { ...context, ...given }),
    judge: async (tool, input) => (await tool.guard?.(tool.input.parse(input), context)) ?? { kind: "allow" },
    write(name, content) {
      const path = join(cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    read: (name) => readFileSync(join(cwd, name), "utf8"),
  };
}

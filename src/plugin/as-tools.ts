/**
 * A plugin's tools as tools of a turn. [PL-7] A person is asked before each call that may happen once only, unless the
 * plugin was enabled with `--trust`: somebody who enables a plugin lets its code run, not the model use it unasked.
 */
import type { Tool, ToolResult } from "#tool/tool.js";
import type { CallPort } from "./call-port.js";
import { PluginError } from "./failure.js";
import { inputSchema } from "./input-schema.js";
import { type PluginLimits, TOOL_OUTPUT_CHARS } from "./limits.js";
import type { Contribution } from "./wire/frames.js";

export interface ToolSource {
  readonly plugin: string;
  readonly isTrusted: boolean;
  readonly limits: PluginLimits;
}

export function asTool(described: Contribution["tools"][number], source: ToolSource, port: CallPort): Tool {
  const { name, description, effect, timeSeconds } = described;
  const { plugin, isTrusted, limits } = source;
  const asks = effect === "at-most-once" && !isTrusted;
  const timeMs = timeSeconds * 1000;
  return {
    name,
    description,
    input: inputSchema(described.input),
    effect,
    limits: { timeMs, outputChars: TOOL_OUTPUT_CHARS },
    ...(asks
      ? {
          guard: () => ({
            kind: "ask",
            grant: `plugin:${plugin}:${name}`,
            why: `${name} of the plugin ${plugin} does something that cannot be undone or repeated safely`,
          }),
        }
      : {}),
    async run(input, { call, conversation, session, turn, cwd, signal, report }) {
      try {
        const answer = await port.call({
          plugin,
          target: { kind: "tool", name, context: { call, conversation, session, turn, cwd } },
          value: input,
          timeMs,
          graceMs: limits.cancelGraceMs,
          signal,
          onReport: report,
        });
        return answer as ToolResult;
      } catch (error) {
        if (!(error instanceof PluginError)) throw error;
        return { kind: "error", text: failureText(name, effect, error) };
      }
    },
    summary: (input) => `${name} ${shortly(input)}`.trimEnd(),
  };
}

/** What threw is over and its words tell; whatever else happened, nobody knows how far the call got. */
function failureText(name: string, effect: string, { code, message }: PluginError): string {
  const isOpen = (code === "plugin-died" || code === "plugin-late") && effect === "at-most-once";
  return `${name} failed: ${message}.${isOpen ? " Its outcome is unknown." : ""}`;
}

const SUMMARY_CHARS_MAX = 80;

function shortly(input: unknown): string {
  const text = JSON.stringify(input) ?? "";
  if (text === "{}") return "";
  return text.length <= SUMMARY_CHARS_MAX ? text : `${text.slice(0, SUMMARY_CHARS_MAX).toWellFormed()}…`;
}

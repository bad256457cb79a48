/** Runs what the parent asks for: one handler, tool or command of one plugin, with a signal that ends with its time. */

import { systemClock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import type { PluginCommandContext, PluginToolContext } from "../api.js";
import { COMMAND_CHARS_MAX, TOOL_OUTPUT_CHARS } from "../limits.js";
import type { Down } from "../wire/frames.js";
import { runAs } from "./culprit.js";
import { reasonOf } from "./leaving.js";
import { sayProgress, words } from "./output.js";
import { askLine } from "./platform-lines.js";
import type { Registration } from "./registration.js";
import { sendUp } from "./uplink.js";

type Call = Extract<Down, { type: "call" }>;

/** Calls under way, so that one can be cancelled. */
const running = new Map<number, AbortController>();

export async function dispatch(call: Call, registration: Registration | undefined): Promise<void> {
  const cancel = new AbortController();
  running.set(call.id, cancel);
  try {
    const limit = { clock: systemClock, timeMs: call.timeMs, signal: cancel.signal };
    const value = await withDeadline(limit, async (signal) => {
      if (registration === undefined) throw new Error("this plugin is not loaded");
      return runAs(call.plugin, () => run(call, registration, signal));
    });
    sendUp({ type: "answer", id: call.id, value: value ?? null });
  } catch (error) {
    sendUp({ type: "failed", id: call.id, message: reasonOf(error) });
  } finally {
    running.delete(call.id);
  }
}

export function cancelCall(id: number): void {
  running.get(id)?.abort(new Error("nobody waits any longer"));
}

async function run(call: Call, registration: Registration, signal: AbortSignal): Promise<unknown> {
  const { target } = call;
  switch (target.kind) {
    case "hook":
      return runHook(call, registration, signal);
    case "tool": {
      const tool = registration.tools.get(target.name);
      if (tool === undefined) throw new Error(`no tool ${target.name} is registered`);
      const context = {
        ...target.context,
        signal,
        report: (line: string) => sayProgress(call.plugin, call.id, words([line])),
      };
      return toolResult(await tool.run(call.value as never, context as unknown as PluginToolContext));
    }
    case "command": {
      const command = registration.commands.get(target.name);
      if (command === undefined) throw new Error(`no command ${target.name} is registered`);
      const context = { ...target.context, signal } as unknown as PluginCommandContext;
      const said: unknown = await command.run(String(call.value), context);
      return said === undefined || said === null ? "" : words([said]).slice(0, COMMAND_CHARS_MAX).toWellFormed();
    }
    case "platform": {
      const platform = registration.platforms.get(target.name);
      if (platform === undefined) throw new Error(`no platform ${target.name} is registered`);
      return askLine({ plugin: call.plugin, platform, account: target.account, act: target.act }, call.value, signal);
    }
  }
}

/** In the order they were registered; the first answer counts, and the others still hear. */
async function runHook({ target, value }: Call, registration: Registration, signal: AbortSignal): Promise<unknown> {
  const payload = value as Readonly<Record<string, unknown>>;
  const key = target.kind === "hook" ? target.key : undefined;
  let answer: unknown;
  for (const handler of registration.handlers.get(target.name) ?? []) {
    const said = await handler({ name: target.name as never, payload, signal, ...(key === undefined ? {} : { key }) });
    answer ??= said;
  }
  return answer;
}

function toolResult(said: unknown): { readonly kind: "ok" | "error"; readonly text: string } {
  const { kind, text } = typeof said === "object" && said !== null ? (said as Record<string, unknown>) : {};
  const whole = typeof text === "string" ? text : said === undefined ? "" : words([said]);
  // A little more than is shown: the one who shows it says how much was left out.
  const kept = whole.slice(0, 2 * TOOL_OUTPUT_CHARS).toWellFormed();
  return { kind: kind === "error" ? "error" : "ok", text: kept };
}

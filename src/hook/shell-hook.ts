/**
 * A configured command as a hook, by the reference's wire: one JSON object on standard input (`hook_event_name`,
 * `tool_name`, `tool_input`, `session_id`, `cwd`, everything else in `extra`), an optional JSON answer on standard output,
 * exit code 2 to block a call. Any other exit code but 0 is a failure, in the words of standard error.
 */
import { createHash } from "node:crypto";
import type { Clock } from "#base/clock.js";
import { type Hook, type HookEvent, type HookName, type HookPayload, OBSERVER_TIME_MS } from "./hook.js";
import { isHookName } from "./names.js";
import { HOOK_OUTPUT_BYTES_MAX, runShell, type ShellEnd } from "./shell-command.js";

export const HOOK_TIMEOUT_S_MAX = 300;
/** What the reference tells its observers, so that a script which looks at it goes on. */
const REFERENCE_SCHEMA = "hermes.observer.v1";
const BLOCK_EXIT = 2;
const WORDS_CHARS_MAX = 2_000;

export interface ShellHookSpec {
  /** A name of the catalogue, or `command:NAME` for one command. */
  readonly event: string;
  readonly command: string;
  /** A regular expression over the tool's name, for events about tools. */
  readonly matcher?: string | undefined;
  readonly timeoutS?: number | undefined;
}

export interface ShellHookParts {
  readonly clock: Clock;
  /** Where commands run, whatever conversation they are about. */
  readonly cwd: string;
  environment(about: { readonly session: string; readonly conversation: string }): Readonly<Record<string, string>>;
}

/** Undefined for an event that nobody tells of. */
export function shellHook(spec: ShellHookSpec, parts: ShellHookParts): Hook | undefined {
  const name = catalogueName(spec.event);
  if (name === undefined) return undefined;
  const matcher = spec.matcher === undefined ? undefined : new RegExp(`^(?:${spec.matcher})$`, "u");
  return {
    name: shellHookName(spec),
    on: [name],
    timeMs: spec.timeoutS === undefined ? OBSERVER_TIME_MS : spec.timeoutS * 1000,
    async call(event, signal) {
      if (!isMeant(spec, matcher, event.payload)) return undefined;
      const { clock, cwd } = parts;
      const { session_id: session, conversation_id: conversation } = event.payload;
      const env = parts.environment({ session: textOr(session), conversation: textOr(conversation) });
      const input = envelope(event, spec.event, cwd);
      return answerOf(event.name, await runShell({ command: spec.command, cwd, env, input, clock }, signal));
    },
  };
}

/** Stable over restarts and over changes of the time limit: what is owed is owed to this name. */
export function shellHookName({ event, command, matcher }: ShellHookSpec): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([command, matcher ?? null]))
    .digest("hex");
  return `shell:${event}:${hash.slice(0, 8)}`;
}

export function catalogueName(event: string): HookName | undefined {
  if (isHookName(event)) return event;
  return /^command:[\w-]{1,64}$/.test(event) ? "command:*" : undefined;
}

/** Events about tools are for the tools that the matcher names; `command:new` is for that command. */
function isMeant({ event }: ShellHookSpec, matcher: RegExp | undefined, payload: HookPayload): boolean {
  const tool = payload["tool_name"];
  if (matcher !== undefined && typeof tool === "string" && !matcher.test(tool)) return false;
  return !event.startsWith("command:") || event === "command:*" || event === `command:${textOr(payload["command"])}`;
}

export function envelope({ name, key, payload }: HookEvent, configured: string, cwd: string): string {
  const { tool_name, args, session_id, conversation_id, cwd: at, ...extra } = payload;
  const command = extra["command"];
  return JSON.stringify({
    hook_event_name: name === "command:*" && typeof command === "string" ? `command:${command}` : name,
    configured_event: configured,
    tool_name: tool_name ?? null,
    tool_input: args ?? null,
    session_id: session_id ?? null,
    conversation_id: conversation_id ?? null,
    cwd: at ?? cwd,
    ...(key !== undefined && { delivery_key: key }),
    extra: { ...extra, telemetry_schema_version: REFERENCE_SCHEMA },
  });
}

function answerOf(name: HookName, end: ShellEnd): unknown {
  const { code, stdout, stderr } = end;
  const answer = parsedAnswer(stdout);
  if (code === 0) {
    if (name === "pre_tool_call") refuseUnreadable(end, answer);
    return answer;
  }
  const words = stderr.trim().slice(0, WORDS_CHARS_MAX).toWellFormed();
  if (name === "pre_tool_call") {
    if (isBlock(answer)) return answer;
    if (code === BLOCK_EXIT) return { action: "block", message: words };
  }
  throw new Error(`${code === null ? "a signal ended it" : `exit code ${code}`}${words === "" ? "" : `: ${words}`}`);
}

/** What is no JSON is talk: scripts print. */
function parsedAnswer(stdout: string): unknown {
  try {
    return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as unknown);
  } catch {
    return undefined;
  }
}

/** A guard that said something which nobody could read has not let the call pass: failing, it denies it [HK-4]. */
function refuseUnreadable({ stdout, isCut }: ShellEnd, answer: unknown): void {
  if (isCut) throw new Error(`its answer is longer than ${HOOK_OUTPUT_BYTES_MAX} bytes and was cut`);
  if (answer === undefined && stdout.trimStart().startsWith("{"))
    throw new Error("its answer begins like JSON and cannot be read");
}

function isBlock(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  return ("action" in answer && answer.action === "block") || ("decision" in answer && answer.decision === "block");
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

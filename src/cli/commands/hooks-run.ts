/** Lists, allows, revokes and tries out hooks. */
import type { HookState, HookTrial, ReviewedHook } from "#app/hook-review.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { wrapText } from "./sessions-wrap.js";

export interface ListOptions {
  readonly events?: boolean;
}

export interface ChooseOptions {
  readonly all?: boolean;
}

export interface TestOptions {
  readonly payload?: string;
}

export async function listHooks(context: CliContext, options: ListOptions): Promise<void> {
  const app = await import("#app/hook-review.js");
  const { out } = context;
  if (options.events === true) {
    const events = app.hookCatalogue();
    if (out.json) return out.document({ events });
    return out.table(
      [
        { title: "EVENT", value: ({ event }) => event },
        { title: "HOOKS ARE", value: ({ use }) => USES[use] },
      ],
      events,
    );
  }
  const { hooks, remarks } = await review(context);
  for (const remark of remarks) out.warn(remark);
  if (out.json) return out.document({ hooks: hooks.map(hookDocument) });
  out.table<ReviewedHook>(
    [
      { title: "HOOK", value: ({ name }) => name },
      { title: "COMMAND", value: commandText, flexible: true },
      { title: "STATE", value: stateText },
    ],
    hooks,
    "No hooks are configured. docs/guide/hooks.md shows how; talaria hooks list --events shows what can be heard.",
  );
  for (const line of hooks.flatMap((hook) => failureLines(hook, out.columns))) out.line(line);
  if (hooks.some(({ state }) => state === "needs-consent"))
    out.note("Let one run: talaria hooks allow NAME; or all of them: talaria hooks allow --all");
  if (hooks.some(({ state }) => state === "next-start" || state === "still-called"))
    out.note("The running host has the leave of its start: talaria host restart gives it today's");
}

const USES = {
  told: "told once it is stored, and again until they took it",
  announced: "told while it happens, if they are quick enough",
  asked: "asked and waited for, 5 s at most",
} as const;

export async function allowHook(context: CliContext, hook: string | undefined, options: ChooseOptions): Promise<void> {
  const { allowHooks } = await import("#app/hook-review.js");
  const home = context.prepareHome();
  const chosen = await choose(context, hook, options);
  const runnable = chosen.filter(({ leave }) => leave === "allowed" || leave === "needs-consent");
  const fresh = await allowHooks(home, runnable, context.clock);
  const { out } = context;
  if (out.json) return out.document({ allowed: fresh.map(({ name }) => name) });
  for (const { name, command } of fresh) out.line(`allowed ${visible(name)}: ${visible(command)}`);
  if (fresh.length === 0) out.line("Nothing changed: what you named was allowed before, or can never run.");
  else out.note("They run from the next start on: a host that runs now is told by talaria host restart");
}

export async function revokeHook(context: CliContext, hook: string | undefined, options: ChooseOptions): Promise<void> {
  const { revokeHooks } = await import("#app/hook-review.js");
  const home = context.prepareHome();
  const isAll = options.all === true && hook === undefined;
  const revoked = await revokeHooks(home, isAll ? "all" : await choose(context, hook, options));
  const { out } = context;
  if (out.json) return out.document({ revoked });
  out.line(revoked === 0 ? "Nothing changed: what you named was not allowed." : `${revoked} revoked`);
  if (revoked > 0) out.note("A host that runs now calls them until talaria host restart");
}

export async function testHooks(context: CliContext, event: string, options: TestOptions): Promise<void> {
  const { tryHooks } = await import("#app/hook-review.js");
  const { home, env, clock, out } = context;
  const config = (await context.config()).values;
  const trials = await tryHooks({ home, env, config, clock }, event, payloadOf(options));
  if (trials.length === 0) {
    throw new UserError(`no hook is configured for ${event}`, "talaria hooks list shows them", EXIT["not-found"]);
  }
  if (out.json) out.document({ event, hooks: trials.map(trialDocument) });
  else for (const trial of trials) out.line(trialText(trial));
  if (trials.some(({ kind }) => kind !== "answered")) context.exitWith(EXIT.failed);
}

async function review(context: CliContext): Promise<{ hooks: readonly ReviewedHook[]; remarks: readonly string[] }> {
  const { reviewHooks } = await import("#app/hook-review.js");
  const { home, env, clock, version } = context;
  return reviewHooks({ home, env, config: (await context.config()).values, clock, version });
}

async function choose(
  context: CliContext,
  hook: string | undefined,
  { all }: ChooseOptions,
): Promise<readonly ReviewedHook[]> {
  const { hooks } = await review(context);
  if (all === true) return hooks;
  if (hook === undefined) throw new UserError("name a hook, or --all", "talaria hooks list shows them", EXIT.usage);
  const { findHooks } = await import("#app/hook-review.js");
  const found = findHooks(hooks, hook);
  if (found.length === 1) return found;
  throw found.length === 0
    ? new UserError(`no hook is called ${hook}`, "talaria hooks list shows them", EXIT["not-found"])
    : new UserError(`${found.length} hooks are called so`, found.map(({ name }) => name).join(", "), EXIT.usage);
}

/** Enough of what a real event has that a script finds its keys. */
const MADE_UP = {
  session_id: "trial-session",
  conversation_id: "trial-conversation",
  platform: "cli",
  model: "demo/demo",
  task_id: "trial-turn",
  turn_id: "trial-turn",
  tool_name: "terminal",
  tool_call_id: "trial-call",
  args: { command: "echo hello" },
  result: "hello",
  user_message: "hello",
  assistant_response: "hello",
  response_text: "hello",
  reason: "trial",
};

function payloadOf({ payload }: TestOptions): Readonly<Record<string, unknown>> {
  if (payload === undefined) return MADE_UP;
  try {
    const values: unknown = JSON.parse(payload);
    if (typeof values === "object" && values !== null && !Array.isArray(values)) return { ...MADE_UP, ...values };
  } catch (error) {
    throw new UserError(`--payload is not JSON: ${(error as Error).message}`, undefined, EXIT.usage);
  }
  throw new UserError("--payload has to be a JSON object", undefined, EXIT.usage);
}

function commandText({ command, matcher }: ReviewedHook): string {
  return matcher === undefined ? command : `${command}  (${matcher})`;
}

const STATES: Readonly<Record<HookState, string>> = {
  allowed: "allowed",
  "needs-consent": "needs consent",
  "unknown-event": "no such event",
  "not-runnable": "no handler that can be run",
  failing: "fails",
  "gave-up": "failed",
  "next-start": "allowed, from the next start",
  "still-called": "revoked, from the next start",
};

function stateText({ state, dead }: ReviewedHook): string {
  return dead > 0 ? `${STATES[state]} ${dead}×` : STATES[state];
}

/** Below the table, where there is room for all of it. */
function failureLines({ name, error, refusesCalls }: ReviewedHook, columns: number): readonly string[] {
  if (error === null) return [];
  const effect = refusesCalls ? " Every call that it guards is refused." : "";
  const [first = "", ...rest] = wrapText(visible(`${name}: ${error}.${effect}`), columns - REASON_INDENT);
  return ["", first, ...rest.map((line) => " ".repeat(REASON_INDENT) + line)];
}

const REASON_INDENT = 2;

function hookDocument({ name, event, command, matcher, timeoutS, from, state, error, dead }: ReviewedHook) {
  return {
    name,
    event,
    command,
    matcher: matcher ?? null,
    timeoutSeconds: timeoutS ?? null,
    from,
    state,
    error,
    givenUp: dead,
  };
}

function trialText({ name, kind, answer, error, durationMs }: HookTrial): string {
  const said = kind === "answered" ? (answer === null ? "ok" : `ok, answered ${JSON.stringify(answer)}`) : error;
  return visible(`${name}: ${said}${kind === "skipped" ? "" : ` (${durationMs} ms)`}`);
}

function trialDocument({ name, kind, answer, error, durationMs }: HookTrial) {
  return { name, outcome: kind, answer, error, durationMs };
}

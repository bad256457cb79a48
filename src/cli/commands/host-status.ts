/** `talaria host status`: one look, and what to do about what is seen. */
import type { HostFinding } from "#app/host/find-host.js";
import { visible } from "#base/text-width.js";
import type { Result } from "#protocol/methods.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural, formatSpan } from "../format.js";
import { otherVariablesText } from "../other-variables.js";

type Silent = Extract<HostFinding, { readonly kind: "silent" }>;
type Answering = Extract<HostFinding, { readonly kind: "answers" }>["greeted"];

export async function showStatus(context: CliContext): Promise<void> {
  const { findHost } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  switch (found.kind) {
    case "none":
      context.exitWith(EXIT["not-found"]);
      return showNone(context);
    case "answers":
      return showRunning(context, found.greeted);
    case "silent":
      context.exitWith(EXIT.failed);
      return tell(context, silentDocument(found), silentLines(found, context.home));
    case "other":
      context.exitWith(EXIT.failed);
      return tell(context, { running: false, state: "taken", pid: found.pid ?? null }, [
        `${context.home.root} is in use by ${found.pid === undefined ? "another process" : `process ${found.pid}`}, which is no host.`,
        "A long import or a restore may be under way; the host can start when it has ended.",
      ]);
  }
}

/** Of the gateway too. */
export function silentDocument({ pid, isDoorClosed }: Silent): Readonly<Record<string, unknown>> {
  return { running: true, state: isDoorClosed ? "stopping" : "silent", pid };
}

export function silentLines({ pid, isDoorClosed }: Silent, { root }: CliContext["home"]): readonly string[] {
  return isDoorClosed
    ? [
        `Process ${pid}, the host of ${root}, is stopping; running turns get their time.`,
        "talaria host stop --force ends it at once, and the next start goes on.",
      ]
    : [`Process ${pid} is the host of ${root} and does not answer.`, "End it with: talaria host stop --force"];
}

async function showNone(context: CliContext): Promise<void> {
  const { readCrashRecord } = await import("#app/host/crash-record.js");
  const { crashRecordPath } = await import("#app/host/open-home.js");
  const { running, lastEnd } = readCrashRecord(crashRecordPath(context.home.run));
  const last = running === null ? (lastEnd ?? null) : null;
  const lines = [`No host runs in ${context.home.root}. A chat starts one; so does: talaria host start`];
  if (running !== null) lines.push("The last one ended without saying so; the next one takes up what it left.");
  tell(context, { running: false, state: "none", crashed: running !== null, lastEnd: last }, lines);
}

async function showRunning(context: CliContext, { line, hello }: Answering): Promise<void> {
  const status = await line.call("host.status", {}).finally(() => line.close());
  const isNewer = hello.is_newer_client === true;
  const safe = status.safe_mode ?? null;
  const platforms = status.platforms.map(({ name, state }) => `${name} ${state}`).join(", ");
  const rows: [string, string][] = [
    ["state", STATES[status.state ?? "serving"]],
    ["process", `${status.pid}, Talaria ${status.version}, for ${formatSpan(status.uptime_s * 1_000)}`],
    ["clients", String(status.connections - 1)],
    ["turns", `${status.working} working, ${status.waiting} waiting for somebody`],
    ["commands", `${status.processes ?? 0} in the background`],
    [
      "owed",
      `${formatPlural(status.hooks_owed, "hook")}, ${status.deliveries_owed ?? 0} to send, ${formatPlural(status.jobs, "job")}`,
    ],
    ...(status.gateway === true ? [["platforms", platforms || "none"] as [string, string]] : []),
    ...extensionRows(status),
    ...pagesRow(status),
    ["memory", `${Math.round(status.memory_mb)} MB`],
    ["log", status.log_path ?? context.home.logFile],
  ];
  const notes: string[] = [];
  if (safe !== null) {
    const left = formatSpan(Math.max(0, safe.until * 1_000 - context.clock.nowMs()));
    notes.push(
      `It crashed ${formatPlural(safe.crashes, "time")} within five minutes, so it runs no turns, hooks or plugins for ${left}.`,
    );
    notes.push("talaria logs may tell why; talaria host restart --reset tries again at once.");
  }
  if (isNewer) notes.push(`This program is ${context.version}, newer than the host: talaria host restart`);
  const { other_variables: others = [] } = hello;
  if (others.length > 0) notes.push(otherVariablesText(others));
  if (context.out.json) {
    return context.out.document({ ...statusDocument(status), newerClient: isNewer, otherVariables: others });
  }
  for (const [name, value] of rows) context.out.line(`${name.padEnd(10)}${value}`);
  for (const note of notes) context.out.note(note);
}

type Status = Result<"host.status">;

/** The wire's names as documents of commands have them. */
function statusDocument(status: Status): Readonly<Record<string, unknown>> {
  const { safe_mode: safe = null } = status;
  const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
  return {
    running: true,
    state: status.state,
    pid: status.pid,
    version: status.version,
    started: iso(status.started_at),
    uptimeSeconds: status.uptime_s,
    // This very look is a client as well, and none that anybody means.
    connections: status.connections - 1,
    working: status.working,
    waiting: status.waiting,
    processes: status.processes,
    jobs: status.jobs,
    hooksOwed: status.hooks_owed,
    deliveriesOwed: status.deliveries_owed,
    memoryMb: status.memory_mb,
    lingerSeconds: status.linger_s,
    platforms: status.platforms,
    pages: status.pages ?? null,
    hooks: status.hooks ?? null,
    pluginProblems: status.plugin_problems ?? [],
    safeMode: safe === null ? null : { crashes: safe.crashes, until: iso(safe.until) },
    home: status.home,
    epoch: status.epoch,
    logPath: status.log_path,
  };
}

function extensionRows({ hooks, plugin_problems: problems = [] }: Status): [string, string][] {
  const { running = [], waiting = [] } = hooks ?? {};
  const leave = `${waiting.length} ${waiting.length === 1 ? "needs" : "need"} your leave: talaria hooks list`;
  const hooksText = [`${running.length} called`, ...(waiting.length > 0 ? [leave] : [])].join(", ");
  return [
    ...(running.length + waiting.length > 0 ? [["hooks", hooksText] as [string, string]] : []),
    ...problems.map((problem): [string, string] => ["plugins", visible(problem)]),
  ];
}

function pagesRow({ pages }: Status): [string, string][] {
  if (pages === null || pages === undefined) return [];
  const address = `${pages.address}:${pages.port}`;
  return [["pages", pages.error === null ? address : `not on ${address}: ${pages.error}`]];
}

const STATES = { serving: "serving", "safe-mode": "safe mode", stopping: "stopping" } as const;

function tell({ out }: CliContext, document: Readonly<Record<string, unknown>>, lines: readonly string[]): void {
  if (out.json) out.document(document);
  else for (const line of lines) out.line(line);
}

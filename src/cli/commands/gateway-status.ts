/** `talaria gateway status`: the platforms, what is owed to people, and who waits to be let in. */
import { type Stranded, strandedAdvice, strandedIn, strandedText } from "#app/gateway/stranded.js";
import type { HostFinding } from "#app/host/find-host.js";
import { redact } from "#base/redact.js";
import { visible } from "#base/text-width.js";
import type { Result } from "#protocol/methods.js";
import { MAIN_ACCOUNT } from "#session/address.js";
import type { SessionStore } from "#session/store.js";
import type { OutboxStanding } from "#session/verbs/outbox.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural, formatSpan } from "../format.js";
import { NO_PLATFORMS } from "./gateway-run.js";
import { accountLabel } from "./gateway-words.js";
import { silentDocument, silentLines } from "./host-status.js";

const INDENT = "  ";
const DEAD_SHOWN = 50;
const DEAD_LINES = 5;
const STRANDED_LINES = 5;
const PAIRINGS_MAX = 100;

type Status = Result<"host.status">;
type Platform = Status["platforms"][number];

interface Owed {
  readonly outbox: OutboxStanding;
  readonly stranded: readonly Stranded[];
  readonly pairings: number;
}

export async function showStatus(context: CliContext): Promise<void> {
  const { findHost } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  if (found.kind === "answers") return showHost(context, found.greeted);
  if (found.kind === "silent") {
    context.exitWith(EXIT.failed);
    return tell(context, silentDocument(found), silentLines(found, context.home));
  }
  context.exitWith(EXIT["not-found"]);
  const owed = await readOwed(context);
  tell(context, { running: false, state: found.kind === "none" ? "none" : "taken", ...owedDocument(owed) }, [
    `The gateway of ${context.home.root} does not run. Start it with: talaria gateway run`,
    ...owedLines(context, owed),
    ...(await emptyLines(context)),
  ]);
}

type Greeted = Extract<HostFinding, { readonly kind: "answers" }>["greeted"];

async function showHost(context: CliContext, { line }: Greeted): Promise<void> {
  const { remoteStore } = await import("#app/host/remote-store.js");
  const store = remoteStore(line);
  try {
    const status = await line.call("host.status", {});
    const owed = await owedIn(store, context, status.platforms);
    if (status.gateway !== true) {
      context.exitWith(EXIT["not-found"]);
      return tell(context, { running: false, state: "none", pid: status.pid, ...owedDocument(owed) }, [
        `A host runs in ${context.home.root} (process ${status.pid}), without platforms. Start them with: talaria gateway run`,
        ...owedLines(context, owed),
        ...(await emptyLines(context)),
      ]);
    }
    if (status.platforms.some(({ state }) => state !== "up") || (status.platform_problems ?? []).length > 0) {
      context.exitWith(EXIT.failed);
    }
    if (context.out.json) return context.out.document({ ...statusDocument(status), ...owedDocument(owed) });
    showRunning(context, status, owed);
    for (const text of status.platforms.length === 0 ? NO_PLATFORMS : []) context.out.line(text);
  } finally {
    line.close();
  }
}

function showRunning(context: CliContext, status: Status, owed: Owed): void {
  const { out, clock } = context;
  const span = formatSpan(status.uptime_s * 1_000);
  const state = status.state === undefined || status.state === "serving" ? "runs" : STATES[status.state];
  out.prose(
    `The gateway ${state} (process ${status.pid}, for ${span}); ${formatPlural(status.working, "turn")} at work.`,
  );
  if (status.safe_mode !== null && status.safe_mode !== undefined) {
    out.prose("It crashed too often and opens no platform for now; talaria logs may tell why.");
  }
  out.table(
    [
      { title: "PLATFORM", value: ({ name, account = "main" }) => accountLabel({ platform: name, account }) },
      { title: "STATE", value: ({ state: kind }) => kind },
      { title: "SINCE", value: ({ since }) => (since == null ? "" : formatSpan(clock.nowMs() - since * 1_000)) },
      { title: "IN", value: ({ received = 0 }) => String(received), align: "right" },
      { title: "OUT", value: ({ sent = 0 }) => String(sent), align: "right" },
      { title: "FAILED", value: ({ failed = 0 }) => String(failed), align: "right" },
    ],
    status.platforms,
  );
  for (const one of status.platforms) if (one.why != null) out.prose(whyText(one), INDENT);
  for (const problem of status.platform_problems ?? []) out.prose(`settings: ${visible(problem)}`, INDENT);
  for (const text of owedLines(context, owed)) out.prose(text, INDENT.repeat(2));
}

const STATES = { "safe-mode": "is in safe mode", stopping: "is stopping" } as const;

function whyText({ name, account = "main", state, why, hint, retry_s: retry }: Platform): string {
  const again = retry == null ? "" : `; it is tried again after ${Math.ceil(retry)} s`;
  const advice = hint == null ? "" : ` (${hint})`;
  return visible(`${accountLabel({ platform: name, account })} is ${state}: ${why}${again}${advice}`);
}

async function readOwed(context: CliContext): Promise<Owed> {
  const { openReader } = await import("#app/open-store.js");
  const store = openReader(context.home);
  return owedIn(store, context).finally(() => store.close());
}

async function owedIn(store: SessionStore, context: CliContext, running: Status["platforms"] = []): Promise<Owed> {
  const [outbox, { pending }] = await Promise.all([
    store.outboxStanding({ limit: DEAD_SHOWN }),
    store.pairings({ limit: PAIRINGS_MAX, nowMs: context.clock.nowMs() }),
  ]);
  return { outbox, stranded: await strandedOf(context, outbox, running), pairings: pending.length };
}

/** An account is there when it runs, or when the settings have it: in safe mode, or before a start, none runs. */
async function strandedOf(
  { home, env }: CliContext,
  outbox: OutboxStanding,
  running: Status["platforms"],
): Promise<readonly Stranded[]> {
  if (outbox.open.length === 0) return [];
  const [{ inspectConfig }, { accountsOf }] = await Promise.all([
    import("#config/load.js"),
    import("#app/gateway/accounts.js"),
  ]);
  const { accounts } = await accountsOf({ home, env, config: inspectConfig(home, env) });
  return strandedIn(outbox, [
    ...running.map(({ name, account = MAIN_ACCOUNT }) => ({ platform: name, account })),
    ...accounts.map(({ kind, name }) => ({ platform: kind.name, account: name })),
  ]);
}

function owedLines({ out }: CliContext, { outbox, stranded, pairings }: Owed): readonly string[] {
  const { open, dead, deadCount } = outbox;
  const total = (key: "pending" | "sending" | "unknown"): number => open.reduce((sum, row) => sum + row[key], 0);
  const parts = [
    `${total("pending") + total("sending")} to send`,
    ...(total("unknown") > 0 ? [`${total("unknown")} that may have arrived or not`] : []),
    ...(deadCount > 0 ? [`${deadCount} that could not be delivered`] : []),
  ];
  const waiting = formatPlural(pairings, "person", "people");
  return [
    `Messages: ${parts.join(", ")}.`,
    ...stranded.slice(0, STRANDED_LINES).map((one) => visible(`  ${strandedText(one)}; ${strandedAdvice(one)}`)),
    ...deadLines(dead, (atMs) => out.time(atMs)),
    ...(pairings > 0 ? [`${waiting} would like to be let in: talaria pairing list`] : []),
  ];
}

/** The last ones; a reply of many parts to a chat that is gone is one line. */
function deadLines(dead: OutboxStanding["dead"], time: (atMs: number) => string): readonly string[] {
  const alike = new Map<string, { readonly when: string; count: number }>();
  for (const { platform, address, error, atMs } of dead) {
    const key = `${platform}:${visible(address.chatId ?? "?")}\u0000${visible(redact(error))}`;
    const known = alike.get(key);
    if (known === undefined) alike.set(key, { when: time(atMs), count: 1 });
    else known.count++;
  }
  const lines = [...alike].slice(0, DEAD_LINES).map(([key, { when, count }]) => {
    const [chat, error] = key.split("\u0000");
    return `  ${chat}  ${when}  ${error}${count === 1 ? "" : ` (${count} messages)`}`;
  });
  return lines;
}

/** For somebody who has configured nothing, how to begin. */
async function emptyLines({ home, env }: CliContext): Promise<readonly string[]> {
  const [{ inspectConfig }, { writtenPlatforms }] = await Promise.all([
    import("#config/load.js"),
    import("#app/gateway/accounts.js"),
  ]);
  return Object.keys(writtenPlatforms(inspectConfig(home, env))).length === 0 ? NO_PLATFORMS : [];
}

function owedDocument({ outbox, stranded, pairings }: Owed): Readonly<Record<string, unknown>> {
  const { open, dead, deadCount } = outbox;
  return {
    owed: open,
    stranded,
    dead: dead.map(({ id, platform, address, error, atMs }) => ({
      id,
      platform,
      chat: address.chatId ?? null,
      error: redact(error),
      at: new Date(atMs).toISOString(),
    })),
    deadCount,
    pairingsWaiting: pairings,
  };
}

function statusDocument(status: Status): Readonly<Record<string, unknown>> {
  const iso = (seconds: number | null | undefined): string | null =>
    seconds == null ? null : new Date(seconds * 1_000).toISOString();
  return {
    running: true,
    state: status.state,
    pid: status.pid,
    started: iso(status.started_at),
    working: status.working,
    waiting: status.waiting,
    platforms: status.platforms.map((one) => ({
      platform: one.name,
      account: one.account ?? "main",
      state: one.state,
      since: iso(one.since),
      why: one.why ?? null,
      hint: one.hint ?? null,
      received: one.received ?? 0,
      sent: one.sent ?? 0,
      failed: one.failed ?? 0,
      lastReceived: iso(one.last_received),
      lastSent: iso(one.last_sent),
    })),
    problems: status.platform_problems ?? [],
  };
}

function tell({ out }: CliContext, document: Readonly<Record<string, unknown>>, lines: readonly string[]): void {
  if (out.json) out.document(document);
  else for (const line of lines) out.prose(line, INDENT);
}

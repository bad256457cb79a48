/** `talaria host stop`: asks, waits, and tells what came of it; ends one that does not answer when told to. */
import type { EndRecord } from "#app/host/crash-record.js";
import { OperationalError, UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural, formatSpan } from "../format.js";

/** After the drain a host has five seconds; the rest is for slow machines. */
const WAIT_SLACK_MS = 8_000;

export interface StopOptions {
  readonly force?: boolean;
  readonly drain?: number;
}

export async function stop(context: CliContext, options: StopOptions): Promise<void> {
  const ended = await endHost(context, { ...options, reason: "stop" });
  await warnOfMistakes(context);
  if (context.out.json) return context.out.document(ended);
  if (!ended.wasRunning) return context.out.line(`No host runs in ${context.home.root}.`);
  context.out.line(endText(ended));
}

/** Stopping needs no settings; whoever starts the next host does. */
async function warnOfMistakes({ home, env, out }: CliContext): Promise<void> {
  const { inspectConfig } = await import("#config/load.js");
  const mistakes = inspectConfig(home, env).remarks.filter(({ severity }) => severity === "error");
  if (mistakes.length > 0) out.warn(`no host can be started until this is corrected: ${mistakes[0]?.text}`);
}

export interface EndWish extends StopOptions {
  readonly reason: "stop" | "restart";
}

export interface Ended {
  readonly wasRunning: boolean;
  readonly pid: number | null;
  readonly how: "asked" | "signalled" | "killed" | null;
  /** What it said about its end; null when it could not. */
  readonly report: EndRecord | null;
}

export async function endHost(context: CliContext, wish: EndWish): Promise<Ended> {
  const { findHost, forceEnd, silentText } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  switch (found.kind) {
    case "none":
      return { wasRunning: false, pid: null, how: null, report: null };
    case "answers":
      return ask(context, found.greeted, wish);
    case "silent": {
      if (wish.force !== true) {
        const { text, hint } = silentText(found, context.home);
        throw new UserError(text, hint);
      }
      const how = (await forceEnd(context, found.pid)) === "killed" ? "killed" : "signalled";
      return { wasRunning: true, pid: found.pid, how, report: null };
    }
    case "other": {
      const who = found.pid === undefined ? "another process" : `process ${found.pid}`;
      throw new UserError(
        `${context.home.root} is in use by ${who}, which is no host`,
        "wait until it has ended; it is not ended from here",
        EXIT.locked,
      );
    }
  }
}

type Greeted = Extract<
  Awaited<ReturnType<typeof import("#app/host/find-host.js")["findHost"]>>,
  { readonly kind: "answers" }
>["greeted"];

async function ask(context: CliContext, { line, hello }: Greeted, wish: EndWish): Promise<Ended> {
  const { forceEnd, waitUntilFree } = await import("#app/host/find-host.js");
  const { pid } = hello;
  const drain = wish.drain === undefined ? {} : { drain_ms: wish.drain * 1_000 };
  const answer = await line
    .call("host.stop", { reason: wish.reason, keep_openings: wish.reason === "restart", ...drain })
    .finally(() => line.close());
  const { working = 0, drain_ms = 0 } = answer;
  if (working > 0) context.out.note(`Waiting up to ${formatSpan(drain_ms)} for ${formatPlural(working, "turn")}…`);
  if (await waitUntilFree(context, drain_ms + WAIT_SLACK_MS)) {
    return { wasRunning: true, pid, how: "asked", report: await lastEnd(context) };
  }
  if (wish.force !== true) {
    throw new OperationalError(
      "host-slow",
      "after-delay",
      `process ${pid} did not stop; talaria host stop --force ends it`,
    );
  }
  const how = (await forceEnd(context, pid)) === "killed" ? "killed" : "signalled";
  return { wasRunning: true, pid, how, report: null };
}

async function lastEnd({ home }: CliContext): Promise<EndRecord | null> {
  const [{ readCrashRecord }, { crashRecordPath }] = await Promise.all([
    import("#app/host/crash-record.js"),
    import("#app/host/open-home.js"),
  ]);
  return readCrashRecord(crashRecordPath(home.run)).lastEnd ?? null;
}

/** `noun` is how the process is called. */
export function endText({ pid, how, report }: Ended, noun = "host"): string {
  if (how === "killed")
    return `The ${noun} (process ${pid}) did not answer and was killed. What it had stored is kept.`;
  if (report === null) return `The ${noun} (process ${pid}) has ended.`;
  const { working, cut } = report;
  const finished = working - cut;
  const parts = [
    ...(finished > 0 ? [`${formatPlural(finished, "turn")} finished`] : []),
    ...(cut > 0 ? [`${formatPlural(cut, "turn")} cut, to go on with the next start`] : []),
  ];
  return `The ${noun} (process ${pid}) has stopped${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`;
}

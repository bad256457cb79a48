/**
 * The end of a host, as one sequence [FQ-8] [FQ-9]: no client gets in any more, running turns get their time, platforms
 * are left and with them the port, what still runs is let go of, openings are closed in pages, clients are told, hooks
 * get what is left, the store is closed, and the end is noted. A step that fails or takes too long is noted and the next
 * one happens. Nothing depends on any of it: a host that is killed at any of these points is recovered by the next one.
 *
 * A platform that polls keeps what nobody asks for; one that calls us may call once. So the port takes their requests,
 * stored for the next host and not begun, for as long as there are platforms [GW-18]; it is free before the home is.
 */
import type { Clock } from "#base/clock.js";
import { faultPoint } from "#base/fault.js";
import type { HostId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { Live } from "#runtime/live/port.js";
import type { SessionStore } from "#session/store.js";
import type { EndRecord } from "./crash-record.js";

/** From the end of the drain to the end of the process [FQ-9]. */
export const STOP_LIMIT_MS = 5_000;
/** The rest of the limit is for leaving the process. */
const STEPS_MS = 4_300;
/** Hooks get what is left, less what the last steps may need. */
const LAST_STEPS_MS = 2_000;
/** Of these last steps: hooks that were told to stop hand back what they had. */
const HOOKS_LEAVE_MS = 1_200;
const PAGE_OPENINGS = 200;
/** Tools get a moment to end their children. */
const PROCESSES_MS = 2_000;
const SETTLE_MS = 500;
const CLIENTS_MS = 500;
/** What running work may need beyond the drain to come to rest. */
const DRAIN_SLACK_MS = 200;
/** What the last answers get to be sent in; what is not sent by then is sent by the next host. */
const PLATFORMS_MS = 1_200;
const PLATFORMS_LEAVE_MS = 300;

export interface StopWish {
  /** For the log and the record, in a word: `stop`, `restart`, `maintenance`, `idle`, a signal. */
  readonly reason: string;
  /** How long running turns get; as the settings say unless told. */
  readonly drainMs?: number;
  /** Conversations go on in the next host: their openings stay as they are. */
  readonly keepsOpenings?: boolean;
}

export interface StoppingParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly live: Live;
  readonly store: SessionStore;
  readonly host: HostId;
  /** No new clients from here on; platforms still call. */
  shutDoors(): Promise<void>;
  /** Sends what is due for up to so long, then hangs up on every platform. */
  endPlatforms(limitMs: number): Promise<void>;
  /** Nobody gets in any more: the next host may have the port. */
  closeDoors(): Promise<void>;
  endClients(): Promise<void>;
  endProcesses(): Promise<void>;
  /** Tells hooks what is owed for up to so long, then leaves the rest for the next host. */
  deliverHooks(limitMs: number): Promise<void>;
  settleUpkeep(): Promise<void>;
  noteEnd(report: EndRecord): Promise<void>;
  /** Aborted when somebody insists: running turns get no more time. */
  readonly hurry: AbortSignal;
}

export async function stopHost(
  parts: StoppingParts,
  wish: StopWish & { readonly drainMs: number },
): Promise<EndRecord> {
  const { clock, live, store } = parts;
  const startedMs = clock.monotonicMs();
  const troubles: string[] = [];
  const step = stepper(parts, troubles);
  const working = countWorking(live);
  parts.log.info("stopping", { reason: wish.reason, working, drainMs: wish.drainMs });

  await step("doors", CLIENTS_MS, () => parts.shutDoors());
  faultPoint("host.doors-closed");
  await step("drain", wish.drainMs + DRAIN_SLACK_MS, () => drained(parts, wish.drainMs));
  const cut = countWorking(live);
  const drainedMs = clock.monotonicMs();
  const leftMs = (): number => Math.max(0, STEPS_MS - (clock.monotonicMs() - drainedMs));
  faultPoint("host.drained");
  await step("platforms", PLATFORMS_MS + PLATFORMS_LEAVE_MS, () => parts.endPlatforms(PLATFORMS_MS));
  await step("port", Math.min(CLIENTS_MS, leftMs()), () => parts.closeDoors());
  faultPoint("host.platforms-left");
  await step("turns", leftMs(), () => store.endHost({ id: parts.host }));
  faultPoint("host.turns-released");
  const processes = step("processes", Math.min(PROCESSES_MS, leftMs()), () => parts.endProcesses());
  let openings = 0;
  if (wish.keepsOpenings !== true) {
    await step("openings", leftMs() - LAST_STEPS_MS, (signal) =>
      closeOpenings(parts, signal, (closed) => {
        openings += closed;
      }),
    );
  }
  faultPoint("host.openings-closed");
  await step("clients", Math.min(CLIENTS_MS, leftMs()), () => parts.endClients());
  const hooksMs = Math.max(0, leftMs() - LAST_STEPS_MS);
  await step("hooks", hooksMs + HOOKS_LEAVE_MS, () => parts.deliverHooks(hooksMs));
  await processes;
  faultPoint("host.hooks-left");
  await step("upkeep", Math.min(SETTLE_MS, leftMs()), () => parts.settleUpkeep());
  await step("store", leftMs(), () => store.close());
  faultPoint("host.store-closed");
  const tookMs = Math.round(clock.monotonicMs() - startedMs);
  const report = { reason: wish.reason, atMs: clock.nowMs(), tookMs, working, cut, openings, troubles };
  await step("record", Math.max(SETTLE_MS, leftMs()), () => parts.noteEnd(report));
  parts.log.info("stopped", { ...report });
  return report;
}

type Step = (name: string, limitMs: number, act: (signal: AbortSignal) => Promise<unknown>) => Promise<void>;

/** Each step has a time of its own, and its failure is told: the others happen all the same [FQ-8]. */
function stepper({ clock, log }: StoppingParts, troubles: string[]): Step {
  return async (name, limitMs, act) => {
    const late = new AbortController();
    let forget: () => void = () => undefined;
    const limit = new Promise<"late">((resolve) => {
      forget = clock.after(Math.max(0, limitMs), () => resolve("late"));
    });
    try {
      const outcome = await Promise.race([act(late.signal), limit]);
      if (outcome === "late") troubles.push(`${name}: given up after ${Math.round(limitMs)} ms`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      troubles.push(`${name}: ${why}`);
      log.error("a step of stopping failed", { step: name, error: why });
    } finally {
      forget();
      late.abort(new Error("the host has no more time for this"));
    }
  };
}

function countWorking(live: Live): number {
  return live.active().filter(({ state }) => state === "working").length;
}

function drained({ live, hurry }: StoppingParts, drainMs: number): Promise<void> {
  const insisted = new Promise<void>((resolve) => {
    if (hurry.aborted) resolve();
    hurry.addEventListener("abort", () => resolve(), { once: true });
  });
  return Promise.race([live.stop(drainMs), insisted]);
}

/** [FQ-9] In pages: each is one commit, and what a page has closed stays closed when the time is over. */
export async function closeOpenings(
  { store, clock }: Pick<StoppingParts, "store" | "clock">,
  signal?: AbortSignal,
  onPage?: (closed: number) => void,
): Promise<void> {
  while (signal?.aborted !== true) {
    const { closed } = await store.closeOpenings({ reason: "shutdown", limit: PAGE_OPENINGS, nowMs: clock.nowMs() });
    onPage?.(closed);
    if (closed < PAGE_OPENINGS) break;
  }
}

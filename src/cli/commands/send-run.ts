/** The work of `talaria send`: through the host that runs, or straight into the home's store. */
import { text as readAll } from "node:stream/consumers";
import { UserError } from "#base/errors.js";
import type { DeliveryId } from "#base/ids.js";
import { redact } from "#base/redact.js";
import { visible } from "#base/text-width.js";
import type { DeliveryState } from "#session/delivery.js";
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { formatPlural } from "../format.js";
import { withReader, withWriter } from "./sessions-store.js";

export interface SendOptions {
  readonly to: string;
  readonly account?: string;
  readonly file?: readonly string[];
  readonly wait?: number;
}

const TEXT_CHARS_MAX = 1_000_000;
const LOOK_EVERY_MS = 200;

export async function send(context: CliContext, words: string, options: SendOptions): Promise<void> {
  const { home, env, clock } = context;
  const [{ accountsOf }, { findTarget }, { oweMessage }] = await Promise.all([
    import("#app/gateway/accounts.js"),
    import("#app/gateway/target.js"),
    import("#app/gateway/owe-message.js"),
  ]);
  const read = await accountsOf({ home, env, config: await context.config() });
  const { account } = options;
  const target = findTarget(read, { words: options.to, ...(account === undefined ? {} : { account }) });
  const files = options.file ?? [];
  const text = await textOf(words, files.length > 0);
  const ids = await withWriter(context, (store) => oweMessage({ store, home, clock, target, text, files }));
  const isUp = await isGatewayUp(context);
  const states = await waitFor(context, ids, (options.wait ?? 0) * 1_000);
  report(context, { label: target.label, ids, isUp, isWaited: options.wait !== undefined, states });
}

async function textOf(words: string, hasFiles: boolean): Promise<string> {
  const isPiped = words === "-" || (words === "" && !hasFiles && process.stdin.isTTY !== true);
  const text = isPiped ? await readAll(process.stdin) : words;
  if (text.length > TEXT_CHARS_MAX) throw new UserError("that is more than a message can be", undefined, EXIT.usage);
  if (text.trim() === "" && !hasFiles)
    throw new UserError("there is nothing to send", 'talaria send --to … "text"', EXIT.usage);
  return text.trimEnd();
}

async function isGatewayUp(context: CliContext): Promise<boolean> {
  const { findHost } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  if (found.kind !== "answers") return false;
  const { line } = found.greeted;
  return (await line.call("host.status", {}).finally(() => line.close())).gateway === true;
}

/** Until all have ended or the time is over. */
async function waitFor(
  context: CliContext,
  ids: readonly DeliveryId[],
  waitMs: number,
): Promise<readonly DeliveryState[]> {
  const { clock, signal } = context;
  const giveUpMs = clock.monotonicMs() + waitMs;
  const look = (store: SessionStore): Promise<readonly DeliveryState[]> =>
    store.outboxStanding({ limit: 0, ids }).then(({ asked }) => asked.map(({ state }) => state));
  return withReader(context, async (store) => {
    for (;;) {
      const states = await look(store);
      if (states.every(isEnded) || clock.monotonicMs() >= giveUpMs) return states;
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  });
}

function isEnded({ phase }: DeliveryState): boolean {
  return phase === "sent" || phase === "dead";
}

interface Outcome {
  readonly label: string;
  readonly ids: readonly DeliveryId[];
  readonly isUp: boolean;
  readonly isWaited: boolean;
  readonly states: readonly DeliveryState[];
}

function report({ out, exitWith }: CliContext, { label, ids, isUp, isWaited, states }: Outcome): void {
  const dead = states.flatMap((state) => (state.phase === "dead" ? [redact(state.error)] : []));
  const isSent = states.every(({ phase }) => phase === "sent");
  const state = dead.length > 0 ? "dead" : isSent ? "sent" : "queued";
  const codes: Readonly<Record<typeof state, ExitCode>> = { dead: EXIT.failed, sent: EXIT.ok, queued: EXIT.waiting };
  if (isWaited || state === "dead") exitWith(codes[state]);
  if (out.json) {
    const receipts = states.flatMap((one) => (one.phase === "sent" ? [one.receipt] : []));
    out.document({ to: label, state, parts: ids.length, ids, receipts, errors: dead, gatewayRuns: isUp });
  } else out.prose(outcomeText({ label: visible(label), count: ids.length, isUp, isWaited }, state, dead[0] ?? ""));
}

interface Told {
  readonly label: string;
  readonly count: number;
  readonly isUp: boolean;
  readonly isWaited: boolean;
}

function outcomeText({ label, count, isUp, isWaited }: Told, state: "sent" | "dead" | "queued", why: string): string {
  if (state === "sent") return `Sent to ${label}${count > 1 ? `, in ${count} messages` : ""}.`;
  if (state === "dead") return `Could not be sent to ${label}: ${visible(why)}`;
  const stored = `Stored, ${formatPlural(count, "message")} to ${label}`;
  if (!isUp) return `${stored}. It will be sent when the gateway runs: talaria gateway run`;
  return `${stored}; the gateway sends it${isWaited ? " when it can: talaria gateway status" : ""}.`;
}

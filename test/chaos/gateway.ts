/**
 * The gateway's chaos run: the storm of `test/gateway`, against a copy of the build and a Telegram on loopback that gives
 * every message again and again. It ends its own children and removes its own folders.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { stageWhole } from "../crash/stage.js";
import { GATEWAY_PLANTS } from "../gateway/plants.js";
import { FULL_STORM, QUICK_STORM, runStorm } from "../gateway/storm.js";
import type { ViolationKind } from "./journal.js";
import type { Plant } from "./plants.js";
import type { ChaosResult, Row } from "./report.js";

export interface GatewayChaosOptions {
  readonly kills: number;
  readonly seed: number;
  /** As many messages for a death as in the form that takes minutes. */
  readonly isQuick: boolean;
  readonly plant?: Plant;
  readonly signal?: AbortSignal;
  onProgress?(result: GatewayChaosResult): void;
}

export interface GatewayChaosResult extends ChaosResult {
  messages: number;
  deliveries: number;
  replies: number;
  /** Replies that came twice, each marked as a copy: within what is promised. */
  marked: number;
}

/** The quick form takes some three minutes on two idle cores. */
export const QUICK_GATEWAY = { kills: QUICK_STORM.kills };
export const FULL_GATEWAY = { kills: FULL_STORM.kills };

/** Of the bugs in `test/gateway/plants.ts` those that a storm meets; the others have scenarios of their own. */
export const STORM_PLANTS = { earlyAck: GATEWAY_PLANTS["earlyAck"], noMark: GATEWAY_PLANTS["noMark"] } as Readonly<
  Record<string, Plant>
>;

export function gatewayRows({ messages, deliveries, replies, marked }: GatewayChaosResult): readonly Row[] {
  return [
    ["messages", messages],
    ["deliveries of them", deliveries],
    ["answered", replies],
    ["marked copies", marked],
  ];
}

export async function runGatewayChaos(options: GatewayChaosOptions): Promise<GatewayChaosResult> {
  const { seed, kills, signal, plant } = options;
  const startedMs = systemClock.monotonicMs();
  const top = mkdtempSync(join(tmpdir(), "talaria-chaos-gateway-"));
  const size = sizeFor(options);
  const result = { ...emptyResult(seed), messages: size.messages, deliveries: size.deliveries };
  const note = (): void => {
    result.seconds = (systemClock.monotonicMs() - startedMs) / 1_000;
    options.onProgress?.(result);
  };
  const onLife = (life: number): void => {
    [result.kills, result.restarts] = [life, life];
    note();
  };
  try {
    const launcher = stageWhole(top, plant);
    const storm = await runStorm({ launcher, seed, ...size, onLife, ...(signal && { signal }) });
    [result.kills, result.restarts] = [kills, kills];
    [result.replies, result.marked] = [storm.replies, storm.marked];
    result.violations.push(...storm.wrong.map((text) => ({ kind: kindOf(text), text, folder: "" })));
  } catch (error) {
    // What never comes to its end is stuck; what was interrupted is not.
    if (signal?.aborted !== true) {
      const text = error instanceof Error ? error.message : String(error);
      result.violations.push({ kind: "wedged", text, folder: "" });
    }
  } finally {
    rmSync(top, { recursive: true, force: true, maxRetries: 20 });
  }
  result.wasInterrupted = signal?.aborted ?? false;
  note();
  return result;
}

function sizeFor({ kills, isQuick }: GatewayChaosOptions) {
  const usual = isQuick ? QUICK_STORM : FULL_STORM;
  const scaled = (count: number): number => Math.max(1, Math.round((count * kills) / usual.kills));
  return { kills, messages: scaled(usual.messages), deliveries: scaled(usual.deliveries), chats: usual.chats };
}

const KINDS: readonly (readonly [RegExp, ViolationKind])[] = [
  [/is not stored|never saw/, "loss"],
  [/without a mark|two answers in one|inputs are stored of|marked copies/, "duplicate"],
  [/with \d+ turns|a delivery is/, "wedged"],
];

function kindOf(text: string): ViolationKind {
  return KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? "other";
}

function emptyResult(seed: number): GatewayChaosResult {
  return {
    ...{ seed, kills: 0, killsAt: {}, restarts: 0, violations: [], seconds: 0, wasInterrupted: false },
    ...{ messages: 0, deliveries: 0, replies: 0, marked: 0 },
  };
}

import { describe, expect, it } from "vitest";
import type { FailureCause, ModelFailure } from "./model.js";
import {
  BACKOFF_BASE_MS,
  BACKOFF_MAX_MS,
  backoffMs,
  decide,
  type NextAct,
  RETRY_AFTER_OBEYED_MAX_MS,
  TREATMENTS,
} from "./policy.js";

const half = (): number => 0.5;
const CAUSES = Object.keys(TREATMENTS) as FailureCause[];

function decided(cause: FailureCause, attempt: number, hasNextModel: boolean, retryAfterMs?: number): NextAct {
  const failure: ModelFailure = { cause, message: "", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return decide(failure, { attempt, hasNextModel }, half);
}

/** The policy as people read it: what the first failure leads to, and how often the same model is asked in all. */
const TABLE: Readonly<Record<FailureCause, readonly [first: NextAct["kind"], tries: number]>> = {
  cut: ["retry", 4],
  stalled: ["retry", 2],
  unreachable: ["retry", 4],
  "rate-limited": ["retry", 4],
  overloaded: ["retry", 4],
  empty: ["retry", 3],
  malformed: ["retry", 3],
  unauthorised: ["next-model", 1],
  unpaid: ["next-model", 1],
  "unknown-model": ["next-model", 1],
  filtered: ["next-model", 1],
  rejected: ["next-model", 1],
  overflow: ["give-up", 1],
  "too-large": ["give-up", 1],
};

describe("[MD-14] the policy", () => {
  it.each(CAUSES)("decides about %s as the table says, at every attempt", (cause) => {
    const [first, tries] = TABLE[cause];
    for (const hasNextModel of [true, false]) {
      const onward = first === "give-up" ? "give-up" : hasNextModel ? "next-model" : "give-up";
      for (let attempt = 1; attempt <= 10; attempt++) {
        expect(decided(cause, attempt, hasNextModel).kind, `${cause} ${attempt}`).toBe(
          attempt < tries ? "retry" : onward,
        );
      }
    }
  });

  it("reaches the fallback after a bounded number of tries, whatever fails", () => {
    for (const cause of CAUSES) {
      expect(decided(cause, TREATMENTS[cause].triesMax, true).kind).not.toBe("retry");
      expect(TREATMENTS[cause].triesMax).toBeLessThanOrEqual(4);
    }
  });

  it("passes over a provider that asks for more patience than a turn has, and says when to come back", () => {
    expect(decided("rate-limited", 1, true, 3_600_000)).toEqual({ kind: "next-model", comeBackMs: 3_600_000 });
    expect(decided("rate-limited", 1, false, 3_600_000)).toEqual({ kind: "give-up", comeBackMs: 3_600_000 });
    expect(decided("rate-limited", 1, true, RETRY_AFTER_OBEYED_MAX_MS).kind).toBe("retry");
  });

  it("never changes a request by asking again: what is too large stays too large", () => {
    expect(decided("overflow", 1, true, 5)).toEqual({ kind: "give-up" });
  });
});

describe("[MD-13] the wait", () => {
  it("doubles up to its bound, half of it by chance", () => {
    for (let attempt = 1; attempt <= 40; attempt++) {
      const ceiling = Math.min(BACKOFF_BASE_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS);
      expect(backoffMs(attempt, {}, () => 0)).toBe(ceiling / 2);
      expect(backoffMs(attempt, {}, () => 0.999_999)).toBeLessThanOrEqual(ceiling);
      expect(backoffMs(attempt, {}, () => 0.999_999)).toBeGreaterThan(ceiling * 0.99);
    }
  });

  it("is never shorter than what the provider told, and never much longer", () => {
    for (const told of [0, 1, 1_000, 20_000, RETRY_AFTER_OBEYED_MAX_MS]) {
      for (const random of [() => 0, half, () => 0.999]) {
        const waitMs = backoffMs(3, { retryAfterMs: told }, random);
        expect(waitMs).toBeGreaterThanOrEqual(told);
        expect(waitMs).toBeLessThanOrEqual(told + 1_000);
      }
    }
  });

  it("is bounded even when the provider's is not", () => {
    expect(backoffMs(1, { retryAfterMs: 9e12 }, half)).toBeLessThanOrEqual(RETRY_AFTER_OBEYED_MAX_MS + 1_000);
  });
});

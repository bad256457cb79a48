/** Whatever becomes of a send, its outcome says how far it came, in time, and the next one works. */
import { expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import type { SendOutcome } from "../platform.js";
import { abortedOnce } from "./recording.js";
import type { PeerFault } from "./scene.js";
import { type OpenScene, onStage, type Stage } from "./stage.js";

interface Expectation {
  readonly fault: PeerFault;
  readonly promise: string;
  /** Where an answer was lost, an idempotency key also allows `retry`, and a way to look it up allows `sent`. */
  readonly kinds: readonly SendOutcome["kind"][];
  /** Whether people see it once the send is over; undefined when they may. */
  readonly isShown?: boolean;
  /** The answer was lost: with an idempotency key the same send may be tried again. */
  readonly isAnswerLost?: boolean;
  /** It would never end by itself. */
  readonly isEndless?: boolean;
}

const RATE_LIMIT_MS = 2_000;
/** How long an answer trickles before the send is called off. */
const TRICKLE_MS = 300;
/** A send that answers by itself, or was called off, is over within this: for what hangs, not for what is slow. */
const END_LIMIT_MS = 20_000;

const TABLE: readonly Expectation[] = [
  {
    fault: { kind: "rate-limited", afterMs: RATE_LIMIT_MS },
    promise: "waits at least as long as it is told to",
    kinds: ["retry"],
    isShown: false,
  },
  {
    fault: { kind: "server-error" },
    promise: "does not take an error for success",
    kinds: ["retry", "unknown"],
    isShown: false,
  },
  {
    fault: { kind: "cut-before" },
    promise: "does not take a cut line for success",
    kinds: ["retry", "unknown"],
    isShown: false,
  },
  {
    fault: { kind: "cut-after" },
    promise: "does not know what became of a lost answer",
    kinds: ["unknown"],
    isAnswerLost: true,
  },
  {
    fault: { kind: "silent" },
    promise: "does not wait for ever",
    kinds: ["unknown"],
    isAnswerLost: true,
    isEndless: true,
  },
  {
    fault: { kind: "slow" },
    promise: "does not wait for a trickle",
    kinds: ["unknown"],
    isAnswerLost: true,
    isEndless: true,
  },
  { fault: { kind: "gone" }, promise: "knows that it is no use", kinds: ["refused"], isShown: false },
  { fault: { kind: "markup-refused" }, promise: "says it plainly then", kinds: ["sent"], isShown: true },
];

export function describeFaults(open: OpenScene): void {
  for (const expectation of TABLE) {
    it(`[CT-4] ${expectation.promise}: ${expectation.fault.kind}`, async (context) => {
      await onStage(open, async (stage) => {
        const lack = stage.scene.lacks[expectation.fault.kind];
        if (lack !== undefined) return context.skip(lack);
        const { fault, kinds, isShown, isAnswerLost = false, isEndless = false } = expectation;
        stage.scene.peer.fail(fault);
        const message = { id: "faulty", text: "hello **there** under a fault" };
        const outcome = await stage.send("dm", message, isEndless ? calledOff(stage, fault) : timeLimit());
        const isRetrySafe = isAnswerLost && (stage.scene.kind.isIdempotent ?? stage.scene.isIdempotent) === true;
        const canLookUp = isAnswerLost && stage.platform.findSent !== undefined;
        expect([...kinds, ...(isRetrySafe ? ["retry", "sent"] : []), ...(canLookUp ? ["sent"] : [])]).toContain(
          outcome.kind,
        );
        if (fault.kind === "rate-limited" && outcome.kind === "retry")
          expect(outcome.afterMs).toBeGreaterThanOrEqual(fault.afterMs);
        if ("why" in outcome) expect(outcome.why).toMatch(/./);
        if (isShown !== undefined) expect(await stage.shown("dm", "under a fault")).toHaveLength(isShown ? 1 : 0);
        await stage.sendUntilSent("dm", "after it");
        // More than once where an attempt of unknown outcome had arrived.
        expect(await stage.shown("dm", "after it")).not.toHaveLength(0);
        if (isRetrySafe) {
          expect(await stage.send("dm", message)).toMatchObject({ kind: "sent" });
          expect(await stage.shown("dm", "under a fault")).toHaveLength(1);
        }
      });
    });
  }

  it("[CT-4] finds out whether a send of unknown outcome arrived, or says that it cannot", () =>
    onStage(open, async ({ scene, platform, send }) => {
      if (platform.findSent === undefined || scene.lacks["cut-after"] !== undefined) return;
      const sinceMs = systemClock.nowMs();
      const place = scene.place("dm");
      scene.peer.fail({ kind: "cut-after" });
      await send("dm", { id: "arrived", text: "did it arrive?" });
      const signal = timeLimit();
      const arrived = await platform.findSent({ id: "arrived", place, text: "did it arrive?" }, sinceMs, signal);
      expect(["found", "unsure"]).toContain(arrived.kind);
      const never = await platform.findSent({ id: "never", place, text: "was never sent" }, sinceMs, signal);
      expect(["absent", "unsure"]).toContain(never.kind);
    }));

  it("[GW-22] [CT-4] sends nothing once its time is up", () =>
    onStage(open, async ({ scene, platform, shown }) => {
      const outgoing = { id: "late", place: scene.place("dm"), text: "too late" };
      const outcome = await platform.send(outgoing, AbortSignal.abort());
      expect(["retry", "unknown"]).toContain(outcome.kind);
      expect(await shown("dm", "too late")).toHaveLength(0);
    }));

  it("[CT-4] says that nothing was taken, or that it cannot know, while it is not running", () =>
    onStage(
      open,
      async ({ platform, scene }) => {
        const outgoing = { id: "early", place: scene.place("dm"), text: "too early" };
        const outcome = await platform.send(outgoing, timeLimit());
        expect(["sent", "retry", "unknown"]).toContain(outcome.kind);
        if (outcome.kind === "sent") expect(await scene.peer.shown("dm")).toHaveLength(1);
      },
      false,
    ));
}

/** Once people see the message: nothing but the answer is missing then. */
function calledOff({ shown }: Stage, fault: PeerFault): AbortSignal {
  return abortedOnce("the send is taken", async () => {
    if ((await shown("dm", "under a fault")).length === 0) return false;
    if (fault.kind === "slow") await systemClock.sleep(TRICKLE_MS);
    return true;
  });
}

function timeLimit(): AbortSignal {
  return AbortSignal.timeout(END_LIMIT_MS);
}

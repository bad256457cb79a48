import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { keepSecret } from "#base/redact.js";
import {
  type Outgoing,
  type Platform,
  type PlatformKind,
  type PlatformParts,
  PlatformRefusal,
} from "#platform/platform.js";
import { maskedKind } from "./masked-kind.js";

const CANARY = "canary/secret of a platform";
beforeAll(() => keepSecret(CANARY));

const LIMITS = {
  text: 100,
  unit: "utf16",
  chatEveryMs: 0,
  perSecond: 9,
  editEveryMs: 0,
  mediaIn: 0,
  mediaOut: 0,
  hasLines: true,
} as const;

function kindOf(open: PlatformKind["open"]): PlatformKind {
  return { name: "paper", title: "Paper", settings: z.unknown(), secrets: [], limits: LIMITS, open };
}

function partsHearing(down: (why: string) => void): PlatformParts {
  const receiver = { message: async () => undefined, press: async () => "", up: () => undefined, down };
  const log = createLogger({ path: "/dev/null", clock: systemClock });
  return { account: "main", clock: systemClock, log, receiver, cursors: async () => new Map() };
}

const parts = partsHearing(() => undefined);
const outgoing: Outgoing = { id: "1", place: { chat: { type: "dm", id: "1" } }, text: "x" };
const signal = new AbortController().signal;
const leaky = (): Error => new Error(`POST https://x/${CANARY} failed`, { cause: new Error(CANARY) });

async function thrownBy(act: () => Promise<unknown>): Promise<Error> {
  return act().then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error: Error) => error,
  );
}

describe("a platform whose words are clean", () => {
  it("[GW-42] lets no secret out of what it throws, says or answers", async () => {
    const heard: string[] = [];
    const platform: Platform = {
      run: async () => {
        throw leaky();
      },
      send: async () => ({ kind: "retry", afterMs: 1, why: `no ${CANARY}` }),
      edit: async () => ({ kind: "refused", why: encodeURIComponent(CANARY) }),
      findSent: async () => {
        throw leaky();
      },
    };
    const kind = kindOf(async (_, { receiver }) => {
      receiver.down(`lost ${CANARY}`);
      return platform;
    });
    const masked = await maskedKind(kind).open(
      {},
      partsHearing((why) => heard.push(why)),
    );
    const errors = [
      await thrownBy(() => masked.run(signal)),
      await thrownBy(async () => masked.findSent?.(outgoing, 0, signal)),
    ];
    const told = [
      ...heard,
      ...errors.flatMap((error) => [error.message, error.stack ?? "", String(error.cause)]),
      JSON.stringify(await masked.send(outgoing, signal)),
      JSON.stringify(await masked.edit?.(outgoing.place, "r", outgoing, signal)),
    ].join("\n");
    expect(told).not.toMatch(/canary/);
    expect(told).toContain("[redacted]");
    expect(masked.typing).toBeUndefined();
  });

  it("[GW-42] keeps a refusal a refusal", async () => {
    const kind = kindOf(async () => {
      throw new PlatformRefusal(`wrong token ${CANARY}`, `look at ${CANARY}`);
    });
    const error = await thrownBy(() => maskedKind(kind).open({}, parts));
    expect(error).toBeInstanceOf(PlatformRefusal);
    expect(error).toMatchObject({ message: "wrong token [redacted]", hint: "look at [redacted]" });
  });
});

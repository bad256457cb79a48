import { describe, expect, it } from "vitest";
import { judgeTiming, type PassRecord, recordPass } from "./antithrash.js";

const MODEL = "anthropic/a";
const compacted = (tokensBefore: number, tokensAfter: number) =>
  ({ kind: "compacted", tokensBefore, tokensAfter }) as const;
const futile = { kind: "futile", tokens: 100_000 } as const;
const now = (tokens: number, model = MODEL) => ({ model, tokens, threshold: 64_000 });

describe("the timing of a compaction", () => {
  it("[CR-5] gives up after two passes in a row that save less than a tenth", () => {
    let record: PassRecord | undefined = recordPass(undefined, MODEL, compacted(100_000, 95_000));
    expect(judgeTiming(record, now(200_000))).toBe("compact");
    record = recordPass(record, MODEL, futile);
    expect(judgeTiming(record, now(200_000))).toBe("given-up");
  });

  it("starts again after a pass that saved a tenth, or with another model", () => {
    const wasted = recordPass(recordPass(undefined, MODEL, futile), MODEL, futile);
    expect(judgeTiming(wasted, now(200_000, "openai/b"))).toBe("compact");
    expect(judgeTiming(recordPass(wasted, MODEL, compacted(100_000, 90_000)), now(200_000))).toBe("compact");
    expect(recordPass(wasted, "openai/b", futile).wasted).toBe(1);
  });

  it("does not count wasted passes that are not in a row", () => {
    const record = [futile, compacted(100_000, 50_000), futile].reduce<PassRecord | undefined>(
      (before, pass) => recordPass(before, MODEL, pass),
      undefined,
    );
    expect(judgeTiming(record, now(200_000))).toBe("compact");
  });

  it.each([
    [undefined, 63_999, "below-threshold"],
    [undefined, 64_000, "compact"],
    [70_000, 74_096, "just-compacted"],
    [70_000, 74_097, "compact"],
    [20_000, 64_000, "compact"],
  ] as const)("after a pass that left %s tokens, %i are %s", (left, tokens, expected) => {
    const record = left === undefined ? undefined : recordPass(undefined, MODEL, compacted(1_000_000, left));
    expect(judgeTiming(record, now(tokens))).toBe(expected);
  });

  it("tolerates little growth in a small window", () => {
    const record = recordPass(undefined, MODEL, compacted(20_000, 6_000));
    expect(judgeTiming(record, { model: MODEL, tokens: 6_500, threshold: 5_000 })).toBe("just-compacted");
    expect(judgeTiming(record, { model: MODEL, tokens: 6_501, threshold: 5_000 })).toBe("compact");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventParams } from "#protocol/frame.js";
import { EventCursor } from "./cursor.js";

/** Things that happened: each told in one to three events, the last of them numbered. */
function tellings(sizes: readonly number[]): EventParams[][] {
  return sizes.map((size, at) =>
    Array.from({ length: size }, (_, part) => ({
      type: `t${at}.${part}`,
      session_id: "c",
      payload: { at, part },
      ...(part === size - 1 && { seq: (at + 1) * 10 }),
    })),
  );
}

describe("how far a client has read", () => {
  it("[WI-12] sees everything once and in order, wherever it is cut and told again", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.array(fc.tuple(fc.nat(3), fc.nat(4))), (told, lines) => {
        const groups = tellings(told);
        const all = groups.flat();
        const cursor = new EventCursor();
        const seen: EventParams[] = [];
        let isCut = false;
        // Each line: what happened meanwhile is told in its answer, the thing it was cut in at least; then some more live.
        for (const [meanwhile, live] of [...lines, [all.length, 0] as const]) {
          const unseen = groups.filter((group) => (group.at(-1)?.seq ?? 0) > cursor.seq);
          const retold = Math.max(meanwhile, isCut ? 1 : 0);
          seen.push(...cursor.admitMissed(unseen.slice(0, retold).flat()));
          const heard = unseen.slice(retold).flat().slice(0, live);
          for (const event of heard) if (cursor.admit(event)) seen.push(event);
          isCut = heard.length > 0 && heard.at(-1)?.seq === undefined;
        }
        expect(seen).toEqual(all);
      }),
    );
  });

  it("drops a number that it has seen", () => {
    const cursor = new EventCursor(5);
    expect(cursor.admit({ type: "a", seq: 5 })).toBe(false);
    expect(cursor.admit({ type: "a", seq: 6 })).toBe(true);
    expect(cursor.admit({ type: "a", seq: 6 })).toBe(false);
  });

  it("starts over with a fresh picture", () => {
    const cursor = new EventCursor(50);
    cursor.restart();
    expect(cursor.admitMissed([{ type: "a", seq: 3 }])).toHaveLength(1);
    cursor.reach(2);
    expect(cursor.seq).toBe(3);
  });
});

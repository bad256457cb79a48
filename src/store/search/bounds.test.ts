/** What search does at its bounds: it stops, says so, and still shows the newest. */
import { describe, expect, it } from "vitest";
import { found, tell } from "../../../test/support/search.js";
import { openInlineStore } from "../sqlite/inline-store.js";
import { TAIL_MAX, WALK_MAX, WINDOW } from "./candidates.js";

const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

describe("search at its bounds", () => {
  it("[SR-5] looks past one long conversation to find others", async () => {
    const opened = openInlineStore();
    await tell(opened.store, "other", ["needle"]);
    await tell(opened.store, "long", times(WINDOW * 3, "needle"));
    await opened.catchUpSearch();
    for (const order of ["rank", "newest", "oldest"] as const) {
      const { hits, isComplete } = await opened.store.search({ text: "needle", order });
      expect(hits.map(({ conversation }) => conversation).sort(), order).toEqual([
        "conversation-long",
        "conversation-other",
      ]);
      expect(isComplete).toBe(true);
      const long = hits.find(({ conversation }) => conversation === "conversation-long");
      if (order === "rank") expect(long?.more).toBeGreaterThan(WINDOW / 4);
    }
  });

  it("stops after so many matches and says that there are more", async () => {
    const opened = openInlineStore();
    await tell(opened.store, "old", ["needle"]);
    await tell(opened.store, "long", times(WALK_MAX.words, "needle"));
    await opened.catchUpSearch();
    const { hits, isComplete } = await opened.store.search({ text: "needle" });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ conversation: "conversation-long" });
    expect(isComplete).toBe(false);
  });

  it("[SR-5] finds a rare source, role or time behind any number of other matches", async () => {
    const opened = openInlineStore();
    await tell(opened.store, "rare", [{ role: "tool", text: "needle", atMs: 400 * 86_400_000 }], { source: "fax" });
    await tell(opened.store, "long", times(WALK_MAX.words, "needle"));
    await opened.catchUpSearch();
    for (const filter of [{ sources: ["fax"] }, { roles: ["tool"] as const }, { fromMs: 399 * 86_400_000 }])
      expect(await found(opened.store, { text: "needle", ...filter })).toEqual(["rare:1"]);
  });

  it("[SR-2] finds a rare short prefix behind any number of words that contain it", async () => {
    const opened = openInlineStore();
    await tell(opened.store, "rare", ["entry"]);
    await tell(opened.store, "long", times(WALK_MAX.grams + WINDOW, "different"));
    await opened.catchUpSearch();
    expect(await found(opened.store, "ent*")).toEqual(["rare:1"]);
  });

  it("[SR-7] reads the newest messages that are not indexed, and says when there are more", async () => {
    const opened = openInlineStore();
    await tell(opened.store, "old", ["needle old"]);
    await tell(opened.store, "long", times(TAIL_MAX, "hay"));
    await tell(opened.store, "new", ["needle new"]);
    const { hits, isComplete, behind } = await opened.store.search({ text: "needle" });
    expect(hits.map(({ conversation }) => conversation)).toEqual(["conversation-new"]);
    expect({ isComplete, behind }).toEqual({ isComplete: false, behind: TAIL_MAX + 2 });
    await opened.catchUpSearch();
    expect((await found(opened.store, "needle")).sort()).toEqual(["new:1", "old:1"]);
  });
});

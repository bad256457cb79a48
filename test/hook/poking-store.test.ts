import { describe, expect, it } from "vitest";
import { pokingStore } from "#hook/poking-store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";

describe("a store that pokes", () => {
  const job = { kind: "k", payload: {}, dueMs: 0 };

  it("does so after the verbs that were named, and after no other", async () => {
    let pokes = 0;
    const store = pokingStore(openInlineStore().store, () => void pokes++, ["enqueueJob"]);
    await store.enqueueJob({ ...job, key: "one" });
    expect(pokes).toBe(1);
    await store.noteAudit({ act: "a", subject: "s", nowMs: 1 });
    await store.stats({});
    expect(pokes).toBe(1);
  });

  it("leaves out what is no news, and answers as the store does", async () => {
    let pokes = 0;
    const isNews = (_verb: string, result: unknown): boolean => (result as { kind: string }).kind === "queued";
    const store = pokingStore(openInlineStore().store, () => void pokes++, ["enqueueJob"], isNews);
    expect(await store.enqueueJob({ ...job, key: "one" })).toMatchObject({ kind: "queued" });
    expect(await store.enqueueJob({ ...job, key: "one" })).toMatchObject({ kind: "already-queued" });
    expect(pokes).toBe(1);
  });
});

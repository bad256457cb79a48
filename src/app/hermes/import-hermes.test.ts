import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { NO_RESET } from "#session/reset-policy.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { hermesHome, routeEntry, SUMMARY } from "../../../test/support/hermes/home.js";
import { importHermes } from "./import-hermes.js";

describe("x", () => {
  it("y", async () => {
    const home = hermesHome();
    home.session({ id: "20260601_100000_aaaa", title: "my project", ended_at: 1750000100, end_reason: "compression" });
    home.session({
      id: "20260601_110000_bbbb",
      title: "my project #2",
      parent_session_id: "20260601_100000_aaaa",
      started_at: 1750000100.5,
    });
    home.message({ session_id: "20260601_100000_aaaa", content: "hello" });
    home.message({
      session_id: "20260601_100000_aaaa",
      role: "assistant",
      content: "hi\0",
      tool_calls: JSON.stringify([{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }]),
    });
    home.message({
      session_id: "20260601_100000_aaaa",
      role: "tool",
      content: "\0json:" + JSON.stringify([{ type: "text", text: "out" }]),
      tool_call_id: "c1",
    });
    home.message({ session_id: "20260601_110000_bbbb", content: "hello" });
    home.message({ session_id: "20260601_110000_bbbb", role: "assistant", content: SUMMARY });
    home.message({ session_id: "20260601_110000_bbbb", content: "next" });
    home.routes({
      _README: "x",
      "agent:main:telegram:dm:42": routeEntry("agent:main:telegram:dm:42", "20260601_110000_bbbb", {
        expiry_finalized: true,
      }),
    });
    home.close();
    const { store } = openInlineStore();
    const run = () =>
      importHermes({
        dir: home.dir,
        store,
        clock: systemClock,
        signal: new AbortController().signal,
        policy: NO_RESET,
        scratch: mkdtempSync(join(tmpdir(), "s-")),
        isDryRun: false,
        onProgress: () => undefined,
      });
    console.log(JSON.stringify(await run(), null, 1));
    const again = await run();
    console.log(JSON.stringify([again.sessions, again.messages, again.routes]));
    console.log(JSON.stringify(await store.show({ conversation: "20260601_100000_aaaa" as never }), null, 1));
    console.log(await store.history({ conversation: "20260601_100000_aaaa" as never, afterSeq: 0, limit: 100 }));
    home.remove();
    expect(1).toBe(1);
  });
});

/** Which session is this? One answer for tools, hooks, logs and clients, also while a compaction moves it [CR-4] [LS-3]. */
import { describe, expect, it } from "vitest";
import { useStage } from "../rpc/support/stage.js";
import { hearing, hears } from "./hooks-file.js";

const LONG = "A long paragraph that says little. ".repeat(120);

describe("a session that a turn compacts", () => {
  const stage = useStage(
    [
      { when: { tools: false, system: "memory of a conversation" }, text: "## Exact names\nThey spoke at length." },
      {
        when: { user: "which", steps: 0 },
        calls: [{ name: "terminal", arguments: { command: "echo it is $TALARIA_SESSION_ID" } }],
      },
      { when: { user: "which" }, text: "Looked." },
      { text: LONG, pieceChars: 400 },
    ],
    {
      config: `${hearing()}compression:\n  protect_last: 2\n`,
      env: () => ({
        TALARIA_MODEL_PROVIDER: "openai",
        TALARIA_MODEL_CONTEXT_TOKENS: "9000",
        TALARIA_MODEL_OUTPUT_TOKENS_MAX: "500",
      }),
    },
  );

  it("[LS-3] [CR-4] every client, hook and child process knows the same tip by the time the turn is over", async () => {
    const client = await stage.open("socket");
    const other = await stage.open("websocket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    const tips: string[] = [];
    for (let n = 0; n < 12; n++) {
      await client.call("prompt.submit", { session_id: id, text: `tell me more (${n})` });
      if (n === 0) {
        other.joinedInside.add(id);
        await other.call("session.resume", { session_id: id });
      }
      const end = await client.turnEnd(id);
      tips.push(String(end.payload?.["tip_session_id"]));
    }
    expect(new Set(tips).size).toBeGreaterThan(1);
    const last = tips.at(-1);
    for (const one of [client, other]) {
      for (const type of ["session.info", "message.complete"])
        await one.until(`the last ${type}`, () => lastOf(one.of(id), type)?.["tip_session_id"] === last);
    }
    const found = await other.call("session.find", { text: id });
    expect(found.kind === "found" && found.card.tip_session_id).toBe(last);
    // Each by a hook of its own: whoever has heard the one may have the other still to hear.
    await hears(stage, "the tip", (all) => all.some(({ session }) => session === last));
    await hears(stage, "the compaction", (all) =>
      all.some(({ name, session }) => name === "session:compress" && tips.includes(session)),
    );

    await client.call("prompt.submit", { session_id: id, text: "which session is this?" });
    const result = await client.event("tool.complete");
    const end = await client.turnEnd(id);
    expect(String(result.payload?.["result"])).toContain(`it is ${String(end.payload?.["tip_session_id"])}`);
  });
});

function lastOf(
  events: readonly { readonly type: string; readonly payload?: Readonly<Record<string, unknown>> }[],
  type: string,
): Readonly<Record<string, unknown>> | undefined {
  return events.findLast((event) => event.type === type)?.payload;
}

/** Several clients in one conversation: nobody's act ends another's turn or takes back what was acknowledged to them. */
import { beforeEach, describe, expect, it } from "vitest";
import type { RawClient } from "../rpc/support/client.js";
import { useStage } from "../rpc/support/stage.js";
import { hearing, hears } from "./hooks-file.js";

describe("clients that share a conversation", () => {
  const stage = useStage(
    [
      { when: { user: "slow" }, text: "Slowly answered.", holdAfter: 1 },
      { when: { user: "stall" }, text: "I begin to say something", pieceChars: 4, fault: { kind: "stall", at: 2_000 } },
      { text: "Answered." },
    ],
    { config: hearing() },
  );
  // Whoever says "slow" is answered when the test says so.
  beforeEach(() => stage.model.hold());
  async function opened(): Promise<{ client: RawClient; id: string }> {
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    return { client, id };
  }
  const rows = async (client: RawClient, id: string): Promise<string[]> =>
    (await client.call("session.activate", { session_id: id })).messages.flatMap((row) =>
      row.role === "user" || row.role === "assistant" ? [row.text] : [],
    );

  it("[CT-1] [CT-3] one that closes it and says something elsewhere leaves the other's turn and queue alone", async () => {
    const { client: one, id } = await opened();
    const two = await stage.open("socket");
    await two.call("session.resume", { session_id: id });
    await one.call("session.close", { session_id: id });
    const { session_id: next } = await one.call("session.create", { cwd: stage.place.cwd });
    await two.call("prompt.submit", { session_id: id, text: "slow", client_message_id: `s-${id}` });
    await two.call("prompt.submit", { session_id: id, text: "and this", client_message_id: `q-${id}` });
    const { tip_session_id: tip } = await one.call("prompt.submit", { session_id: next, text: "hello there" });
    stage.model.go();
    expect((await two.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Slowly answered." });
    expect((await two.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Answered." });
    expect(await rows(two, id)).toEqual(["hello", "Answered.", "slow", "Slowly answered.", "and this", "Answered."]);
    const told = await hears(stage, "the reset", (all) =>
      all.some(({ name, session }) => name === "on_session_reset" && session === tip),
    );
    expect(told.filter(({ name, session }) => name === "on_session_reset" && session === tip)).toHaveLength(1);
  });

  it("[CT-3] a branch waits for the end of a running turn", async () => {
    const { client, id } = await opened();
    await client.call("prompt.submit", { session_id: id, text: "slow" });
    expect(await client.fails("session.branch", { session_id: id })).toMatchObject({ code: 4009 });
    stage.model.go();
    expect((await client.turnEnd(id)).payload).toMatchObject({ text: "Slowly answered." });
    expect(await client.call("session.branch", { session_id: id })).toMatchObject({ parent: id });
  });

  it("[CT-1] a message that interrupts is answered itself, whenever it comes", async () => {
    const { client, id } = await opened();
    for (let n = 0; n < 25; n++) {
      const first = client.call("prompt.submit", {
        session_id: id,
        text: `first ${n}`,
        client_message_id: `a${n}-${id}`,
      });
      await new Promise((resolve) => setTimeout(resolve, n));
      const then = { text: `then ${n}`, client_message_id: `b${n}-${id}`, mode: "interrupt" as const };
      await client.call("prompt.submit", { session_id: id, ...then });
      await first;
      await client.event("message.user", ({ payload }) => payload?.["text"] === `then ${n}`);
      expect((await client.turnEnd(id)).payload).toMatchObject({ outcome: "completed", text: "Answered." });
    }
  });

  it("[CT-2] an edit that is sent twice under one id is one message", async () => {
    const { client, id } = await opened();
    const edit = { session_id: id, text: "better", truncate_before_user_ordinal: 0, client_message_id: `e-${id}` };
    expect(await client.call("prompt.submit", edit)).toMatchObject({ status: "streaming" });
    await client.turnEnd(id);
    expect(await client.call("prompt.submit", edit)).toMatchObject({ status: "duplicate" });
    expect(await rows(client, id)).toEqual(["better", "Answered."]);
    await client.call("prompt.submit", { session_id: id, text: "slow" });
    const late = { ...edit, client_message_id: `l-${id}` };
    expect(await client.fails("prompt.submit", late)).toMatchObject({ code: 4009 });
    stage.model.go();
    await client.turnEnd(id);
  });

  it("[PR-23] of several prompts without an id at once one is taken", async () => {
    const { client, id } = await opened();
    const answers = await Promise.all(
      [1, 2, 3].map((n) => client.ask("prompt.submit", { session_id: id, text: `slow ${n}` })),
    );
    expect(answers.map(({ error }) => error?.code ?? 0).sort()).toEqual([0, 4009, 4009]);
    stage.model.go();
    await client.turnEnd(id);
  });

  it("[CT-2] a message said before elsewhere leaves a session that was only opened as it was", async () => {
    const { client, id } = await opened();
    const said = { text: "once", client_message_id: `once-${id}` };
    await client.call("prompt.submit", { session_id: id, ...said });
    await client.turnEnd(id);
    const { session_id: blank } = await client.call("session.create", { cwd: stage.place.cwd });
    expect(await client.call("prompt.submit", { session_id: blank, ...said })).toMatchObject({ status: "duplicate" });
    await client.call("prompt.submit", { session_id: blank, text: "hello" });
    expect((await client.turnEnd(blank)).payload).toMatchObject({ text: "Answered." });
  });
});

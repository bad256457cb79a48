/** Closing, leaving and coming back, on a real host with real hooks: the rules of force quit that a client can see. */
import { describe, expect, it } from "vitest";
import { runCli } from "../cli/support/run.js";
import type { RawClient } from "../rpc/support/client.js";
import { useStage } from "../rpc/support/stage.js";
import { HEAR, type Heard, heard, hearing, hears, toldOf } from "./hooks-file.js";

interface ShownCard {
  readonly sessions: readonly {
    readonly id: string;
    readonly openings: readonly { readonly reason: string | null }[];
  }[];
}

describe("closing a session", () => {
  const stage = useStage(
    [
      { when: { user: "stall" }, text: "I begin to say something", pieceChars: 4, fault: { kind: "stall", at: 2_000 } },
      { text: "Answered." },
    ],
    { config: hearing() },
  );

  async function session(params: Record<string, unknown> = {}): Promise<{ client: RawClient; id: string }> {
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd, ...params });
    return { client, id };
  }
  async function spoken(): Promise<{ client: RawClient; id: string; tip: string }> {
    const { client, id } = await session();
    const { tip_session_id: tip = "" } = await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    return { client, id, tip };
  }
  async function card(id: string): Promise<ShownCard> {
    const { home, env } = stage.place;
    const shown = await runCli(["sessions", "show", id, "--json"], { home, env });
    expect(shown.stderr).toBe("");
    return (JSON.parse(shown.stdout) as { session: ShownCard }).session;
  }
  const reasons = async (id: string): Promise<(string | null)[]> =>
    (await card(id)).sessions.flatMap(({ openings }) => openings.map(({ reason }) => reason));
  const of = (tip: string) =>
    heard(stage)
      .filter(({ session: one }) => one === tip)
      .map(({ name }) => name);

  it("[FQ-4] ends its opening once, with the caller's reason; a second close changes nothing", async () => {
    const { client, id, tip } = await spoken();
    expect(await client.call("session.close", { session_id: id })).toEqual({ closed: true });
    const first = await card(id);
    expect(await client.call("session.close", { session_id: id })).toEqual({ closed: false });
    expect(await card(id)).toEqual(first);
    expect(await reasons(id)).toEqual(["tui_close"]);
    const all = await hears(stage, "the whole session", (all) => toldOf(all, tip).length >= 3);
    expect(toldOf(all, tip)).toEqual(["on_session_start", "on_session_end", "on_session_finalize"]);
  });

  it("[FQ-5] tells of the turn that it interrupts, before the end of the session", async () => {
    const { client, id } = await session();
    const { tip_session_id: tip = "" } = await client.call("prompt.submit", { session_id: id, text: "stall" });
    await client.event("message.delta");
    expect(await client.call("session.close", { session_id: id, interrupt: true })).toEqual({ closed: true });
    const all = await hears(stage, "the whole session", (all) => toldOf(all, tip).length >= 3);
    expect(toldOf(all, tip)).toEqual(["on_session_start", "on_session_end", "on_session_finalize"]);
    const end = all.find(({ name, session: one }) => name === "on_session_end" && one === tip);
    expect(end?.payload).toMatchObject({
      session_id: tip,
      conversation_id: id,
      completed: false,
      interrupted: true,
      model: "openai/scripted",
      platform: "tui",
    });
  });

  it("[FQ-6] writes nothing where nothing was said, and ends a titled one without hooks", async () => {
    const { client, id } = await session();
    expect(await client.call("session.close", { session_id: id })).toEqual({ closed: true });
    expect(await client.call("session.find", { text: id })).toEqual({ kind: "unknown" });
    const titled = await session();
    await titled.client.call("session.title", { session_id: titled.id, title: "Only a name" });
    await titled.client.call("session.close", { session_id: titled.id });
    expect(await reasons(titled.id)).toEqual(["tui_close"]);
    const { sessions } = await card(titled.id);
    // Something heard later shows that the line of hooks has moved on.
    const { tip } = await spoken();
    await hears(stage, "a start", () => of(tip).includes("on_session_start"));
    expect(heard(stage).filter(({ session: one }) => one === sessions[0]?.id)).toEqual([]);
  });

  it("[FQ-7] works for a session that nothing was run for in this host", async () => {
    const { id, tip } = await spoken();
    await stage.endHost("SIGTERM");
    await stage.startHost();
    const client = await stage.open("socket");
    await client.call("session.resume", { session_id: id });
    expect(await client.call("session.close", { session_id: id })).toEqual({ closed: true });
    expect(await reasons(id)).toEqual(["shutdown", "tui_close"]);
    const all = await hears(stage, "both openings", (all) => toldOf(all, tip).length >= 5);
    expect(toldOf(all, tip)).toEqual([
      ...["on_session_start", "on_session_end", "on_session_finalize"],
      ...["on_session_start", "on_session_finalize"],
    ]);
  });

  it("[FQ-11] is told from the outbox, once for each opening that had messages, also by a host that came later", async () => {
    const { client, id, tip } = await spoken();
    await client.call("session.close", { session_id: id });
    await stage.endHost("SIGKILL");
    await stage.startHost();
    await hears(stage, "the end", () => of(tip).includes("on_session_finalize"));
    const one = await stage.open("socket");
    await one.call("session.resume", { session_id: id });
    await one.call("prompt.submit", { session_id: id, text: "again" });
    await one.turnEnd(id);
    await one.call("session.close", { session_id: id });
    // A hook under way when its host was killed is told again: once for each opening means once for each key.
    const ends = (all: readonly Heard[]) =>
      new Set(
        all
          .filter(({ name, session: of }) => name === "on_session_finalize" && of === tip)
          .map(({ payload }) => String(payload["delivery_key"])),
      );
    await hears(stage, "the second end", (all) => ends(all).size >= 2);
    // Something heard later shows that nothing was left in the line behind them.
    const { tip: later } = await spoken();
    const all = await hears(stage, "a start", () => of(later).includes("on_session_start"));
    expect(ends(all)).toEqual(new Set([expect.any(String), expect.any(String)]));
    expect(ends(all)).not.toContain("undefined");
  });

  it("[FQ-1] [FQ-9] a client that is killed only detaches: its turn goes on, and so does what it watched", async () => {
    const { client, id } = await session();
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    client.line.kill();
    const other = await stage.open("socket");
    other.joinedInside.add(id);
    await other.call("session.resume", { session_id: id });
    const isAnswered = async (): Promise<boolean> =>
      (await other.call("session.activate", { session_id: id })).messages.some(
        (row) => row.role === "assistant" && row.text === "Answered.",
      );
    await expect.poll(isAnswered).toBe(true);
    expect(await reasons(id)).toEqual([null]);
  });

  it("[FQ-10] shows the conversation up to an interruption, with a mark where it was cut", async () => {
    const { client, id } = await session();
    await client.call("prompt.submit", { session_id: id, text: "stall" });
    await client.event("message.delta", ({ payload }) => String(payload?.["text"]).length > 0);
    await client.call("session.interrupt", { session_id: id });
    await client.turnEnd(id);
    const { messages } = await client.call("session.resume", { session_id: id });
    expect(messages).toMatchObject([
      { role: "user", text: "stall" },
      { role: "assistant", text: expect.stringMatching(/^I be/), is_interrupted: true },
      { role: "system", text: "interrupted" },
    ]);
  });
});

describe("a hook that fails", () => {
  const stage = useStage([{ text: "Answered." }], {
    config: hearing().replaceAll(`'${HEAR}'\n`, `'${HEAR}'\n    - command: 'echo it is broken >&2; exit 1'\n`),
  });

  it("[FQ-8] [BH-6] keeps nothing from being closed or begun, and is named where it failed", async () => {
    const client = await stage.open("socket");
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
      await client.call("prompt.submit", { session_id: id, text: "hello" });
      await client.turnEnd(id);
      ids.push(id);
    }
    const fresh = await client.call("slash.exec", { session_id: ids[0] ?? "", command: "new" });
    expect("output" in fresh && fresh.output).toContain("New session");
    expect((await client.call("connection.bye", {})).closed).toBe(3);
    await hears(stage, "the ends", (all) => all.filter(({ name }) => name === "on_session_finalize").length === 3);
    const { home, env } = stage.place;
    const listed = async (): Promise<string> => (await runCli(["hooks", "list", "--json"], { home, env })).stdout;
    await expect.poll(listed).toContain("it is broken");
    expect(await listed()).toContain("exit 1");
  });
});

/** How lines and hosts end: what is stored stays, and a turn that runs goes on without its client. */
import { once } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import { LINES } from "./support/line.js";
import { useStage } from "./support/stage.js";

/** For what hangs, not for what is slow. */
const EXIT_MS = 20_000;

describe("an end", () => {
  const stage = useStage([
    { when: { user: "slow" }, text: "A slow answer.", pieceChars: 1, holdAfter: 6 },
    { text: "Hello." },
  ]);

  beforeEach(() => stage.model.hold());

  it.each([
    ["SIGTERM", (child: { kill(signal: "SIGTERM"): boolean }) => child.kill("SIGTERM")],
    ["SIGHUP", (child: { kill(signal: "SIGHUP"): boolean }) => child.kill("SIGHUP")],
    ["the end of stdin", undefined],
  ] as const)("[PR-38] by %s ends `rpc --stdio` at once and loses nothing", async (_how, end) => {
    const client = await stage.open("stdio");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    const { child } = client.line;
    if (child === undefined) throw new Error("stdio has a process");
    const began = performance.now();
    const exited = once(child, "exit");
    if (end === undefined) child.stdin?.end();
    else end(child);
    const [code, signal] = await exited;
    expect(performance.now() - began).toBeLessThan(EXIT_MS);
    expect([code, signal]).toEqual([0, null]);
    const later = await stage.open("socket");
    const { messages } = await later.call("session.resume", { session_id: id });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("[PR-38] closes what only the client of a pipe held", async () => {
    const client = await stage.open("stdio");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    await client.line.close();
    const later = await stage.open("socket");
    // Its last word may be on its way when the process is gone.
    const reason = async (): Promise<string | undefined> => {
      const { sessions } = await later.call("session.list", { limit: 500 });
      return sessions.find((one) => one.id === id)?.end_reason;
    };
    await expect.poll(reason).toEqual(expect.any(String));
  });

  it.each(LINES)("[PR-39] a client that is killed over %s leaves its turn running", async (kind) => {
    const client = await stage.open(kind);
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "slow" });
    await client.event("message.delta");
    client.line.kill();
    const other = await stage.open("socket");
    other.joinedInside.add(id);
    const { seq, state, reset, events } = await other.call("events.subscribe", { session_id: id });
    expect(seq).toBeGreaterThan(0);
    expect(state).toBe("working");
    expect(reset?.messages.map(({ role }) => role) ?? events?.map(({ type }) => type)).not.toEqual([]);
    stage.model.go();
    await other.turnEnd(id);
    const { messages } = await other.call("session.resume", { session_id: id });
    expect(messages.map((row) => ("text" in row ? row.text : ""))).toEqual(["slow", "A slow answer."]);
  });

  it("[PR-40] a session that closes with its client is closed, its turn too", async () => {
    const client = await stage.open("socket");
    const made = await client.call("session.create", { cwd: stage.place.cwd, close_on_disconnect: true });
    await client.call("prompt.submit", { session_id: made.session_id, text: "hello" });
    await client.turnEnd(made.session_id);
    await client.line.close();
    const later = await stage.open("socket");
    for (;;) {
      const { sessions } = await later.call("session.list", { limit: 500 });
      const row = sessions.find((one) => one.id === made.session_id);
      if (row?.end_reason !== undefined) break;
      await later.call("pet.cells");
    }
  });

  it("[PR-41] a host that is stopped says goodbye, and the next one has everything", async () => {
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    const began = performance.now();
    const end = await stage.endHost("SIGTERM");
    expect(performance.now() - began).toBeLessThan(EXIT_MS);
    // As a shell counts them: 128 and the signal's number.
    expect(end).toEqual({ code: 143, signal: null });
    await client.until("the end of the line", () => client.isEnded);
    expect(client.farewell).toBe("shutting-down");
    await stage.startHost();
    const later = await stage.open("socket");
    const { messages } = await later.call("session.resume", { session_id: id });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("[PR-8] [PR-41] a host that is killed is followed by one that goes on where it was", async () => {
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "slow" });
    const { seq: before } = await client.event("message.delta");
    await stage.endHost("SIGKILL");
    await client.until("the end of the line", () => client.isEnded);
    stage.model.go();
    await stage.startHost();
    const later = await stage.open("socket");
    later.joinedInside.add(id);
    const { state, seq } = await later.call("events.subscribe", { session_id: id });
    expect(seq).toBeGreaterThan(before ?? 0);
    if (state === "working") await later.turnEnd(id);
    const { messages } = await later.call("session.resume", { session_id: id });
    expect(messages.map((row) => ("text" in row ? row.text : ""))).toEqual(["slow", "A slow answer."]);
  });

  it("[PR-41] a client on pipes outlives its host: the next one goes on, under the same ids", async () => {
    const client = await stage.open("stdio");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: "slow" });
    const said = (): string =>
      client.of(id).reduce((text, { type, payload }) => text + (type === "message.delta" ? payload?.["text"] : ""), "");
    await client.until("its first word", () => said().startsWith("A"));
    await stage.endHost("SIGKILL");
    // The same word from the next host shows that the client is there; an end that nobody heard is told in short.
    await client.until("the next host goes on", () => said().lastIndexOf("A") > 0);
    stage.model.go();
    expect((await client.turnEnd(id)).payload).toMatchObject({ text: "A slow answer.", is_recovered: true });
    expect(client.isEnded).toBe(false);
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    expect((await client.turnEnd(id)).payload).toMatchObject({ status: "complete", text: "Hello." });
    const { messages } = await client.call("session.resume", { session_id: id });
    expect(messages.map((row) => ("text" in row ? row.text : ""))).toEqual([
      "slow",
      "A slow answer.",
      "hello",
      "Hello.",
    ]);
  });
});

/** A session that is opened with a history of the client's own. */
import { expect, it } from "vitest";
import { randomIds } from "#base/ids.js";
import { BEGINNING_TEXT } from "../../src/agent/projection/assembly.js";
import { CONTEXT_PREFIX } from "../../src/agent/projection/piece.js";
import { overEveryLine } from "./support/stage.js";

const PAST = [
  { role: "user", content: "where is the harbour?" },
  { role: "assistant", content: "behind the market" },
] as const;
const ROWS = [
  ["user", "where is the harbour?"],
  ["assistant", "behind the market"],
];

overEveryLine("a session with a history of its own", [{ text: "Answered." }], (scene) => {
  type Client = Awaited<ReturnType<typeof scene.client>>;
  const said = (rows: readonly { role: string; text?: string | undefined }[]) =>
    rows.map((row) => [row.role, row.text]);
  const create = (client: Client, params: Record<string, unknown> = {}) =>
    client.call("session.create", { cols: 80, cwd: scene.place.cwd, messages: PAST, ...params } as never);
  /** What the model was sent for a prompt of this text. */
  async function requestOf(client: Client, id: string, text: string): Promise<unknown> {
    await client.call("prompt.submit", { session_id: id, text });
    await client.turnEnd(id);
    const asked = scene.model.exchanges.findLast(
      ({ seen }) => seen.tools.length > 0 && seen.raw.includes(JSON.stringify(text).slice(1, -1)),
    );
    return asked?.seen.items.map((item) => [item.kind, item.text]);
  }

  it("[PR-48] shows it in the answer, in lists and wherever it is opened again", async () => {
    const client = await scene.client();
    const made = await create(client);
    expect(said(made.messages)).toEqual(ROWS);
    expect(made).toMatchObject({ stored_session_id: made.session_id, message_count: 2, has_older: false });
    expect(made.info).toMatchObject({ model: "openai/scripted", cwd: scene.place.cwd });
    const { sessions } = await client.call("session.list", { limit: 5 });
    expect(sessions.find(({ id }) => id === made.session_id)).toMatchObject({
      message_count: 2,
      preview: "where is the harbour?",
    });
    await client.call("session.close", { session_id: made.session_id });
    const other = await scene.client();
    expect(said((await other.call("session.resume", { session_id: made.session_id })).messages)).toEqual(ROWS);
  });

  it("goes to the model with the first prompt, and can be undone and branched", async () => {
    const client = await scene.client();
    const { session_id: id } = await create(client);
    const text = `and the market? ${scene.kind}`;
    expect(await requestOf(client, id, text)).toEqual([...ROWS, ["user", text]]);
    expect(await client.call("session.undo", { session_id: id })).toMatchObject({ removed: 2, text });
    expect(await client.call("session.undo", { session_id: id })).toMatchObject({
      removed: 2,
      text: "where is the harbour?",
    });
    const second = await create(client);
    const branch = await client.call("session.branch", { session_id: second.session_id });
    expect(said((await client.call("session.activate", { session_id: branch.session_id })).messages)).toEqual(ROWS);
  });

  it("[MD-20] takes any order of roles: the model gets what every provider takes", async () => {
    const client = await scene.client();
    const messages = [
      { role: "assistant", content: "Good morning." },
      { role: "user", content: "first" },
      { role: "user", content: "second" },
      { role: "assistant", content: " \n" },
      { role: "assistant", content: null },
      { role: "assistant", content: "answer" },
      { role: "tool", name: "look", content: "nobody asked for this" },
      { role: "system", content: "It rains." },
      { role: "user", content: "unanswered" },
    ];
    const made = await create(client, { messages });
    expect(said(made.messages)).toEqual([
      ["assistant", "Good morning."],
      ["user", "first"],
      ["user", "second"],
      ["assistant", "answer"],
      ["tool", "nobody asked for this"],
      ["system", "It rains."],
      ["user", "unanswered"],
    ]);
    expect(made.messages[4]).toMatchObject({ name: "look" });
    const text = `well? ${scene.kind}`;
    expect(await requestOf(client, made.session_id, text)).toEqual([
      ["user", BEGINNING_TEXT],
      ["assistant", "Good morning."],
      ["user", "first\n\nsecond"],
      ["assistant", "answer"],
      ["user", `${CONTEXT_PREFIX}\nIt rains.\n\nunanswered\n\n${text}`],
    ]);
  });

  it("[PR-14] refuses what it cannot keep as it was meant, says where, and stores nothing", async () => {
    const client = await scene.client();
    const id = randomIds<string>();
    const refused = (messages: unknown) =>
      client.fails("session.create", { cwd: scene.place.cwd, session_id: id, messages });
    const wrong = await refused([...PAST, { role: "developer", content: "be brief" }]);
    expect(wrong).toMatchObject({ code: 4000 });
    expect(wrong.message).toMatch(/messages\.2\.role: "developer" is none of user, assistant, system, tool/);
    expect(await client.fails("session.create", { session_id: "mine", messages: PAST })).toMatchObject({ code: 4000 });
    expect(await refused([{ role: "user", content: 7 }])).toMatchObject({ code: -32_602 });
    expect(await refused(Array.from({ length: 2_001 }, () => PAST[0]))).toMatchObject({ code: -32_602 });
    expect(await client.call("session.find", { text: id })).toEqual({ kind: "unknown" });
  });

  it("[PR-12] leaves no trace when there is nothing in it", async () => {
    const client = await scene.client();
    for (const messages of [[], [{ role: "user", content: " " }]]) {
      const made = await create(client, { messages });
      expect(made).toMatchObject({ message_count: 0, messages: [] });
      expect(await client.call("session.find", { text: made.session_id })).toEqual({ kind: "unknown" });
    }
  });

  it("[CT-2] [PR-48] is made once for an id of the client's own, whatever was said in it since", async () => {
    const client = await scene.client();
    const id = randomIds<string>();
    expect((await create(client, { session_id: id })).session_id).toBe(id);
    await client.call("prompt.submit", { session_id: id, text: "hello" });
    await client.turnEnd(id);
    await client.call("session.close", { session_id: id });
    const endOf = async (): Promise<string | undefined> =>
      (await client.call("session.list", { limit: 5 })).sessions.find((one) => one.id === id)?.end_reason;
    expect(await endOf()).toBe("tui_close");
    const again = await create(client, { session_id: id });
    expect(again).toMatchObject({ session_id: id, message_count: 4 });
    expect(await endOf()).toBeUndefined();
    const other = [{ role: "user", content: "something else" }];
    const refused = await client.fails("session.create", { session_id: id, messages: other });
    expect(refused).toMatchObject({ code: 4000, message: expect.stringContaining("began otherwise") });
    await client.call("session.close", { session_id: id });
    await client.call("session.delete", { session_id: id });
    expect(await client.fails("session.create", { session_id: id, messages: PAST })).toMatchObject({ code: 4007 });
  });

  it("[LS-5] has its title at once, and goes on without one that is taken", async () => {
    const client = await scene.client();
    const title = `Harbours over ${scene.kind}`;
    const first = await create(client, { title });
    expect(first.info.title).toBe(title);
    const second = await create(client, { title });
    expect(second).toMatchObject({ message_count: 2, title_dropped: expect.stringContaining("another conversation") });
  });

  it("[BH-2] succeeds the session that was closed before it, as one that begins with a title does", async () => {
    const client = await scene.client();
    const lineageOf = async (wanted: string): Promise<string | undefined> =>
      (await client.call("session.list", { limit: 5 })).sessions.find(({ id }) => id === wanted)?.lineage;
    const { session_id: first } = await create(client);
    expect(await lineageOf(first)).toBe("root");
    await client.call("session.close", { session_id: first });
    const { session_id: second } = await create(client);
    expect(await lineageOf(second)).toBe("reset");
    await client.call("session.close", { session_id: second });
    const { session_id: third } = await client.call("session.create", { cwd: scene.place.cwd });
    await client.call("session.title", { session_id: third, title: `A successor over ${scene.kind}` });
    expect(await lineageOf(third)).toBe("reset");
  });
});

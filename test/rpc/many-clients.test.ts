import { describe, expect, it } from "vitest";
import type { RawClient, SeenEvent } from "./support/client.js";
import { Follower } from "./support/follower.js";
import { LINES } from "./support/line.js";
import { orderFaults } from "./support/order.js";
import { useStage } from "./support/stage.js";

const STEPS = 200;
const KILLS = 100;

describe("many clients of one conversation", () => {
  const stage = useStage(
    [
      { when: { user: "steps" }, text: "Looking. ", calls: [{ name: "read_file", arguments: { path: "notes.txt" } }] },
      { when: { user: "ask", steps: 0 }, calls: [{ name: "terminal", arguments: { command: "rm -rf ./old" } }] },
      { when: { user: "tell" }, text: "A story in pieces, told to everybody.", pieceChars: 3 },
      { text: "Done." },
    ],
    { config: `agent:\n  steps_max: ${STEPS + 50}\n` },
  );
  const shown = (events: readonly SeenEvent[]): unknown[] =>
    events.map(({ type, payload, seq }) => [seq, type, payload]);
  const fromStart = (client: RawClient, id: string): readonly SeenEvent[] => {
    const events = client.of(id);
    return events.slice(events.findIndex(({ type }) => type === "message.start"));
  };

  it("[PR-8] [PR-42] see the same events with the same numbers in the same order, over any line", async () => {
    const clients = await Promise.all(LINES.map((kind) => stage.open(kind)));
    const [first, ...others] = clients as [RawClient, ...RawClient[]];
    const { session_id: id } = await first.call("session.create", { cwd: stage.place.cwd });
    await first.call("prompt.submit", { session_id: id, text: "hello" });
    await first.turnEnd(id);
    for (const other of others) await other.call("session.resume", { session_id: id });
    for (const text of ["tell", "ask", "tell more"]) {
      await first.call("prompt.submit", { session_id: id, text });
      if (text === "ask") {
        await Promise.all(clients.map((client) => client.event("approval.request")));
        // Two answer at once: the first counts, and nobody is left with an open question.
        await Promise.all(clients.map((client) => client.ask("approval.respond", { session_id: id, choice: "deny" })));
      }
      await Promise.all(clients.map((client) => client.turnEnd(id)));
    }
    const streams = clients.map((client) => shown(fromStart(client, id)));
    const from = streams.map((stream) => stream.findLastIndex((row) => (row as unknown[])[1] === "message.start"));
    const lastTurns = streams.map((stream, at) => stream.slice(from[at]));
    expect(lastTurns[1]).toEqual(lastTurns[0]);
    expect(lastTurns[2]).toEqual(lastTurns[0]);
    const asked = (client: RawClient): unknown[] =>
      shown(client.of(id).filter(({ type }) => type.startsWith("question")));
    expect(asked(first)).toHaveLength(1);
    expect(asked(clients[1] as RawClient)).toEqual(asked(first));
    const { clients: present } = await first.call("session.presence", { session_id: id });
    expect(present.map(({ kind }) => kind).sort()).toEqual(["socket", "socket", "websocket"].sort());
  });

  it("[PR-43] a client that is cut off asks for what it missed and has it all", async () => {
    const writer = await stage.open("socket");
    const reader = await stage.open("websocket");
    const { session_id: id } = await writer.call("session.create", { cwd: stage.place.cwd });
    await writer.call("prompt.submit", { session_id: id, text: "hello" });
    await writer.turnEnd(id);
    await reader.call("events.subscribe", { session_id: id });
    expect(await reader.call("events.unsubscribe", { session_id: id })).toEqual({ unsubscribed: true });
    expect(await reader.call("events.unsubscribe", { session_id: id })).toEqual({ unsubscribed: false });
    const heard = reader.of(id).length;
    const { seq } = await writer.call("events.subscribe", { session_id: id });
    await writer.call("prompt.submit", { session_id: id, text: "tell" });
    await writer.turnEnd(id);
    expect(reader.of(id).length).toBe(heard);
    const missed = await reader.call("events.since", { session_id: id, after: seq });
    const told = writer.of(id).filter((event) => (event.seq ?? 0) > seq);
    expect(missed.events.filter((event) => event.seq !== undefined).map(({ seq, type }) => [seq, type])).toEqual(
      told.map(({ seq, type }) => [seq, type]),
    );
    expect(orderFaults(missed.events as SeenEvent[])).toEqual([]);
    expect((await reader.call("events.since", { session_id: id, after: missed.seq })).events).toEqual([]);
  });

  it(`[PR-44] a client killed and reconnected ${KILLS} times in ${STEPS} steps ends with the same story, nothing twice`, {
    timeout: 180_000,
  }, async () => {
    stage.model.answerWith((seen) => {
      if (seen.tools.length === 0) return { text: "Scripted title" };
      const steps = seen.items.filter(({ kind }) => kind === "result").length;
      if (steps >= STEPS) return { text: "The end." };
      return {
        text: `Step ${steps}. `,
        pieceChars: 2,
        calls: [{ name: "read_file", arguments: { path: "notes.txt" } }],
      };
    });
    const steady = await stage.open("socket");
    const { session_id: id } = await steady.call("session.create", { cwd: stage.place.cwd });
    const follower = new Follower();
    const message = { session_id: id, text: "many steps", client_message_id: `once-${id}` };
    await steady.call("prompt.submit", message);
    const isOver = (): boolean => steady.of(id).some(({ type }) => type === "message.complete");
    for (let kill = 0; kill < KILLS; kill++) {
      const client = await stage.open(kill % 2 === 0 ? "socket" : "websocket");
      client.joinedInside.add(id);
      await follower.join(client, id);
      // Whoever is not sure that it was heard says it again.
      expect(await client.call("prompt.submit", message)).toMatchObject({ status: "duplicate" });
      const few = client.of(id).length + 1 + (kill % 7);
      if (!isOver()) await client.until("a few events", () => isOver() || client.of(id).length >= few);
      client.line.kill();
      follower.leave(client, id);
    }
    await steady.turnEnd(id);
    const last = await stage.open("socket");
    last.joinedInside.add(id);
    await follower.join(last, id);
    follower.leave(last, id);
    const numbered = (events: readonly SeenEvent[]): unknown[] => shown(events.filter(({ seq }) => seq !== undefined));
    const [from] = follower.events.flatMap(({ seq }) => seq ?? []);
    const expected = steady.of(id).filter(({ seq }) => seq !== undefined && seq >= (from ?? 0));
    const isTold = ({ type }: SeenEvent): boolean => type !== "presence.changed";
    expect(numbered(follower.events.filter(isTold))).toEqual(numbered(expected.filter(isTold)));
    const [theirs, ours] = await Promise.all(
      [last, steady].map((client) => client.call("session.resume", { session_id: id })),
    );
    expect(theirs?.messages).toEqual(ours?.messages);
    expect(ours?.messages.filter(({ role }) => role === "tool")).toHaveLength(STEPS);
    expect(ours?.message_count).toBe(2 * STEPS + 2);
  });
});

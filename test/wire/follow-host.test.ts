/** Following a real turn of a real host while its lines are cut, and while the host itself is killed. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "#base/clock.js";
import { followConversation } from "#client/follow.js";
import type { HostLine } from "#client/host-line.js";
import { type KeptLine, keepLine } from "#client/kept-line.js";
import { reachHost } from "#client/start-host.js";
import { type ModelProcess, modelProcess } from "../cli/support/chat.js";
import { type WireHome, wireHome } from "./support/home.js";
import { until } from "./support/socket-pair.js";

const TEXT = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");

let model: ModelProcess;
let home: WireHome;
let kept: KeptLine;
let line: HostLine;

beforeEach(async () => {
  model = await modelProcess([
    // With its first words said it goes on when the test lets it.
    { when: { user: "hold" }, text: TEXT, pieceChars: 8, holdAfter: 30 },
    { text: TEXT, pieceChars: 8, chunkDelayMs: 5 },
  ]);
  home = wireHome(model.env);
  kept = keepLine({
    open: async (onEvent) => {
      ({ line } = await reachHost({ ...home.wish(), onEvent }));
      return line;
    },
    clock,
    random: () => 0,
  });
});
afterEach(async () => {
  kept.close();
  await home.remove();
  await model.stop();
});

/** What a screen would show: history, then what is streamed; an answer that is complete replaces what was streamed. */
class Screen {
  rows: string[] = [];
  streamed = "";
  completed: string[] = [];
  seqs: number[] = [];
  resets = 0;
  lost = 0;

  follow(conversation: string): void {
    followConversation(kept, conversation, {
      reset: ({ messages }) => {
        this.resets++;
        this.rows = messages.map((row) => `${row.role}: ${row.role === "tool" ? row.name : row.text}`);
        this.streamed = "";
      },
      event: ({ type, payload, seq }) => {
        if (seq !== undefined) this.seqs.push(seq);
        if (type === "message.start") this.streamed = "";
        if (type === "message.delta") this.streamed += String(payload?.["text"]);
        if (type === "message.retracted") this.streamed = "";
        if (type === "message.complete") this.completed.push(String(payload?.["text"]));
      },
      lineLost: () => void this.lost++,
    });
  }
}

async function beginTurn(screen: Screen, text: string): Promise<string> {
  const { session_id: conversation } = await kept.call("session.create", { cwd: home.path });
  await kept.call("prompt.submit", { session_id: conversation, text, client_message_id: "m1" });
  screen.follow(conversation);
  await until(() => screen.streamed.length > 50, "the first words");
  return conversation;
}

describe("following a turn", () => {
  it("[WI-12] shows the same words however often the line is cut in the middle of them", async () => {
    const screen = new Screen();
    const conversation = await beginTurn(screen, "say much");
    // While there is something to be cut: on a slow machine the words are over before so many lines are opened.
    for (let cut = 1; cut <= 15 && screen.completed.length === 0; cut++) {
      line.close();
      await until(() => screen.lost >= cut, "the cut");
      const before = screen.streamed.length;
      await until(() => screen.streamed.length > before || screen.completed.length > 0, "more words");
    }
    await until(() => screen.completed.length > 0, "the end");
    expect(screen.completed).toEqual([TEXT]);
    expect(screen.streamed).toBe(TEXT);
    expect(screen.seqs).toEqual([...new Set(screen.seqs)].sort((a, b) => a - b));
    const { messages } = await kept.call("session.resume", { session_id: conversation });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("[WI-12] starts over from stored history when the host is killed in the middle, and sees the turn end once", async () => {
    const screen = new Screen();
    const conversation = await beginTurn(screen, "hold it");
    const before = screen.resets;
    process.kill(home.hostPid() ?? 0, "SIGKILL");
    await until(() => screen.lost > 0, "the loss");
    await until(() => screen.resets > before, "stored history");
    await model.go();
    await until(() => screen.completed.length > 0, "the end");
    expect(screen.completed).toEqual([TEXT]);
    const { messages } = await kept.call("session.resume", { session_id: conversation });
    const said = messages.filter(({ role }) => role === "user");
    expect(said).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", text: TEXT });
  });

  it("[WI-10] is told to its end through pipes when the host is killed in the middle", async () => {
    const rpc = home.rpc();
    rpc.send({ id: "r1", method: "session.create", params: { cols: 80 } });
    const { result } = await rpc.answer("r1");
    const session = result?.["session_id"];
    rpc.send({ id: "r2", method: "prompt.submit", params: { session_id: session, text: "hold it" } });
    const types = (): string[] => rpc.frames().flatMap(({ params }) => (params === undefined ? [] : [params["type"]]));
    await until(() => types().includes("message.delta"), "some words");
    process.kill(home.hostPid() ?? 0, "SIGKILL");
    await until(() => rpc.stderr().includes("opening another"), "the loss");
    await model.go();
    await until(() => types().includes("message.complete"), "the end");
    rpc.send({ id: "r3", method: "session.status", params: { session_id: session } });
    expect(await rpc.answer("r3")).toHaveProperty("result");
    const ends = rpc.frames().filter(({ params }) => params?.["type"] === "message.complete");
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ params: { session_id: session, payload: { text: TEXT, status: "complete" } } });
    expect(types().filter((type) => type === "gateway.ready")).toHaveLength(1);
  });
});

/** [CT-7] Whatever the agent does, the host answers: status, stop and new within two seconds, on another line and on its own. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RawClient, WAIT_MS } from "../rpc/support/client.js";
import { useStage } from "../rpc/support/stage.js";

/** The promise is two seconds, on a machine that has nothing else to do. */
const ANSWER_MS = process.env["TALARIA_LONG"] === undefined ? 20_000 : 2_000;
const STUBBORN = "trap '' TERM INT HUP; echo $$ > stubborn.pid; while :; do sleep 1; done";

describe("a host whose agent does not end", () => {
  const stage = useStage(
    [
      { when: { user: "stall" }, text: "I begin to say something", pieceChars: 4, fault: { kind: "stall", at: 2_000 } },
      { when: { user: "silent" }, text: "", fault: { kind: "stall", at: "headers" } },
      { when: { user: "stubborn", steps: 0 }, calls: [{ name: "terminal", arguments: { command: STUBBORN } }] },
      {
        when: { user: "flood", steps: 0 },
        calls: [{ name: "terminal", arguments: { command: "yes" } }],
      },
      { text: "Answered." },
    ],
    { config: "approvals:\n  mode: yolo\n" },
  );

  const stubborn = (): string => join(stage.place.cwd, "stubborn.pid");
  async function quick(client: RawClient, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const before = performance.now();
    const { result, error } = await client.ask(method, params);
    expect(error).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(ANSWER_MS);
    return result ?? {};
  }

  it.each([
    ["stall", "a model that stops in the middle", "message.delta"],
    ["silent", "a model that says nothing", "message.start"],
    ["stubborn", "a command that ignores every signal but one", "tool.start"],
    ["flood", "a command that floods", "tool.start"],
  ] as const)("[CT-7] answers during %s: %s", async (word, _what, sign) => {
    const client = await stage.open("socket");
    const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
    await client.call("prompt.submit", { session_id: id, text: word });
    await client.event(sign);
    if (word === "stubborn") await appears(stubborn());
    const other = await stage.open("socket");
    expect(await quick(other, "host.status", {})).toMatchObject({ working: expect.any(Number) });
    expect(String((await quick(client, "session.status", { session_id: id }))["output"])).toContain(id);
    expect(await quick(client, "session.interrupt", { session_id: id })).toMatchObject({ was_running: true });
    await client.turnEnd(id);
    const fresh = await quick(client, "slash.exec", { session_id: id, command: "new" });
    expect(String(fresh["output"])).toContain("New session");
    if (word === "stubborn") expect(await isGone(Number(readFileSync(stubborn(), "utf8")))).toBe(true);
  });

  it("[CT-7] /stop, /status and /new at once, while fifty turns run", async () => {
    const client = await stage.open("socket");
    const ids: string[] = [];
    for (let n = 0; n < 50; n++) {
      const { session_id: id } = await client.call("session.create", { cwd: stage.place.cwd });
      await client.call("prompt.submit", { session_id: id, text: "stall" });
      ids.push(id);
    }
    const other = await stage.open("websocket");
    await quick(other, "session.active_list", {});
    const [first = ""] = ids;
    await quick(client, "slash.exec", { session_id: first, command: "status" });
    await quick(client, "slash.exec", { session_id: first, command: "stop" });
    for (const id of ids.slice(1)) await quick(client, "session.interrupt", { session_id: id });
    for (const id of ids) {
      await client.until(`the end of ${id}`, () => client.of(id).some(({ type }) => type === "message.complete"));
    }
  });
});

async function appears(file: string): Promise<void> {
  const giveUp = performance.now() + WAIT_MS;
  while (!(existsSync(file) && readFileSync(file, "utf8").endsWith("\n"))) {
    if (performance.now() > giveUp) throw new Error(`${file} did not appear`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A turn that is over leaves no process of its own behind; whoever ignores signals is killed a moment later. */
async function isGone(pid: number): Promise<boolean> {
  const giveUp = performance.now() + WAIT_MS;
  while (performance.now() < giveUp) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

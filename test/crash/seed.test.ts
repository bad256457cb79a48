/** SIGKILL while a session with a history of its own is made: all of it is there or nothing, and a second attempt is the first. */
import { afterEach, describe, expect, it } from "vitest";
import { randomIds } from "#base/ids.js";
import { launcher } from "../cli/support/run.js";
import { Life } from "./life.js";

const PAST = [
  { role: "user", content: "where is the harbour?" },
  { role: "assistant", content: "behind the market" },
];

describe("a host killed with SIGKILL while it makes a session with a history", () => {
  let life: Life;
  afterEach(() => life.end());

  it.each([
    ["in the middle of the commit", "store.mid-seed", []],
    ["committed, not answered", "server.seeded", [2]],
  ] as const)("[CT-1] [CT-2] [CT-6] leaves all of it or nothing: %s", async (_when, point, left) => {
    life = await Life.begin(launcher, [{ text: "Answered." }]);
    const counts = async (): Promise<readonly number[]> => {
      const { stdout } = await life.run(["sessions", "list", "--json"]);
      return (JSON.parse(stdout) as { sessions: { messages: number }[] }).sessions.map(({ messages }) => messages);
    };
    const id = randomIds<string>();
    const create = ["rpc", "call", "session.create", JSON.stringify({ session_id: id, messages: PAST }), "--json"];
    life.faults.plan(point);
    expect((await life.run(create)).code).not.toBe(0);
    expect(await counts()).toEqual(left);
    const again = await life.run(create);
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ session_id: id, message_count: 2 });
    expect(await counts()).toEqual([2]);
  });
});

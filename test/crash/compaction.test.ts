/** A conversation driven past its window by real processes, killed at every point of a compaction. */
import { describe, expect, it } from "vitest";
import type { RuledReply } from "../support/model-server/reply.js";
import { Life } from "./life.js";
import { stagedLives } from "./staged.js";

const LONG = "lorem ipsum dolor sit amet ".repeat(120);
const SCRIPT: readonly RuledReply[] = [
  { when: { system: "memory of a conversation" }, text: "## Exact names\nthe secret word is heron" },
  { text: `Noted. ${LONG}` },
];
/** Small enough that a few messages fill it. */
const WINDOW = "9000";

const beginLife = stagedLives();
let life: Life;

async function begin(): Promise<string> {
  life = await beginLife(SCRIPT);
  life.environment = {
    TALARIA_MODEL_PROVIDER: "openai",
    TALARIA_MODEL_CONTEXT_TOKENS: WINDOW,
    TALARIA_MODEL_OUTPUT_TOKENS_MAX: "500",
  };
  return Life.idIn(await life.run(["chat", "-q", `Remember: the secret word is heron. ${LONG}`]));
}

/** Speaks until the tip moves, or until a kill; answers the session ids that were seen. */
async function speakUntilCompacted(id: string, fault?: string): Promise<{ wasKilled: boolean }> {
  const { tip } = (await life.card(id)).session;
  for (let turn = 0; turn < 12; turn++) {
    const run = await life.run(["chat", "-r", id, "-q", `Question ${turn}. ${LONG}`], fault);
    if (run.signal === "SIGKILL") return { wasKilled: true };
    expect(run.code, run.stderr).toBe(0);
    if ((await life.card(id)).session.tip !== tip) return { wasKilled: false };
  }
  throw new Error("nothing was compacted");
}

const summaries = (): number =>
  life.server.exchanges.filter(({ seen }) => seen.system.includes("memory of a conversation")).length;

describe("a compaction killed with SIGKILL", () => {
  it.each([
    ["CP-20 summary ready, not committed", "compact.summary-ready", "parent"],
    ["CP-19 in the middle of the rotation", "store.mid-rotate", "parent"],
    ["CP-19 right after the rotation", "compact.rotated", "child"],
  ] as const)("[CR-1] [CR-2] [CR-8] is all or nothing: %s", async (_id, point, side) => {
    const id = await begin();
    const before = (await life.card(id)).session.tip;
    expect(await speakUntilCompacted(id, point)).toEqual({ wasKilled: true });
    const cut = (await life.card(id)).session;
    expect(cut.tip === before).toBe(side === "parent");
    expect(cut.sessions.filter(({ superseded }) => superseded === null).map((session) => session.id)).toEqual([
      cut.tip,
    ]);
    const made = summaries();
    const resumed = await life.run(["chat", "-r", id]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const after = await life.card(id);
    // The range that was cut is compacted once: again only where the first try left nothing behind.
    expect(after.session.sessions).toHaveLength(2);
    expect(summaries() - made).toBe(side === "parent" ? 1 : 0);
    const said = after.messages.filter(({ role, carried }) => role === "user" && !carried);
    const words = said.map(({ text }) => text.slice(0, 12));
    expect(words).toEqual([...new Set(words)]);
  });

  it("[CT-6] [CR-9] stays one conversation over several compactions, and every id ever printed resumes it", {
    timeout: 240_000,
  }, async () => {
    const id = await begin();
    const seen = new Set([id, (await life.card(id)).session.tip]);
    for (let round = 0; round < 3; round++) {
      await speakUntilCompacted(id);
      seen.add((await life.card(id)).session.tip);
    }
    expect(seen.size).toBe(5);
    const { tip } = (await life.card(id)).session;
    for (const one of seen) expect((await life.card(one)).session).toMatchObject({ id, tip });
    const listed = await life.run(["sessions", "list", "--json"]);
    expect((JSON.parse(listed.stdout) as { sessions: unknown[] }).sessions).toHaveLength(1);
    expect(life.lastRequest()).toContain("heron");
  });
});

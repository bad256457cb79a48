import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { CommandScene, MEMBER } from "../../test/support/command-scene.js";
import type { SlashContext } from "./command.js";
import { SLASH_COMMANDS } from "./table.js";

let scene: CommandScene;
afterEach(() => scene.remove());

/** What people paste, and what people try. */
const HOSTILE = [
  "-1",
  "99999999999999999999",
  "NaN",
  "--global --provider",
  "'; DROP TABLE session; --",
  "../../../../etc/passwd",
  "\u0000\u0007\u001b[2J\u202e",
  "\ud800 lonely",
  "%s %n $HOME $(reboot) `reboot`",
  "constructor",
  "__proto__",
  "<script>alert(1)</script>",
  "a\nb\nc",
  "👩‍👩‍👧‍👦".repeat(50),
  "x".repeat(50_000),
] as const;

const SAID_CHARS_MAX = 60_000;
const NOBODY = "nosuchconversation" as ConversationId;

const STANDINGS: readonly (readonly [string, Partial<SlashContext>])[] = [
  ["at a terminal", {}],
  ["in a chat", { surface: "chat", actor: { platform: "telegram" } }],
  ["for a member", { surface: "chat", actor: { platform: "telegram" }, person: MEMBER }],
];

describe.each(STANDINGS)("every command %s", (_where, more) => {
  it("answers whatever follows it, and says no more than can be read", async () => {
    scene = new CommandScene();
    const known = await scene.store.person({ platform: "telegram", account: "local", sender: "7", nowMs: 1 });
    const who = more.person === undefined ? {} : { person: { ...more.person, id: known.id } };
    for (const { name } of SLASH_COMMANDS) {
      const conversation = await scene.exchange("hello");
      const tries: readonly (readonly [string, ConversationId | undefined])[] = [
        ...["", ...HOSTILE].map((words) => [words, conversation] as const),
        ...["", "x", "1"].flatMap((words) => [[words, undefined] as const, [words, NOBODY] as const]),
      ];
      for (const [words, at] of tries) {
        const outcome = await scene.line(`/${name} ${words}`.trim(), at, { ...more, ...who });
        if (outcome.kind === "message") throw new Error(`/${name} is a command`);
        expect(outcome.say.join("\n").length, name).toBeLessThan(SAID_CHARS_MAX);
      }
      for (const active of scene.live.active()) await scene.live.rest(active.conversation);
    }
    expect(scene.bugs).toEqual([]);
  });
});

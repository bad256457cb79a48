/** Redelivery and deaths without number: every message has one turn and one reply. */
import { describe, expect, it } from "vitest";
import { FULL_STORM, runStorm } from "./storm.js";
import { staged } from "./support/staged.js";

const { launcher } = staged();
const IS_LONG = process.env["TALARIA_LONG"] !== undefined;
const SIZE = IS_LONG ? FULL_STORM : { messages: 200, deliveries: 2_000, kills: 20, chats: 25 };
const TIME_MS_MAX = IS_LONG ? 3_600_000 : 600_000;

describe("messages delivered again and again to a gateway that is killed again and again", () => {
  it("[CT-1] [CT-2] [CT-3] [CT-4] have one turn and one reply each, in order, in their own chat", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const seed = Number(
      process.env["TALARIA_SEED"] ?? (IS_LONG ? crypto.getRandomValues(new Uint32Array(1))[0] : 20_261),
    );
    const result = await runStorm({ launcher: launcher(), seed, ...SIZE });
    process.stderr.write(`storm: seed ${seed} ${JSON.stringify({ ...SIZE, ...result, wrong: result.wrong.length })}\n`);
    expect(result.wrong.slice(0, 20), `TALARIA_SEED=${seed}`).toEqual([]);
    expect([result.turns, result.replies]).toEqual([SIZE.messages, SIZE.messages]);
  });
});

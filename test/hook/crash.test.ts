/**
 * A death between the two halves of a `/new` [BH-3]: the hooks themselves kill the process that tells them, whichever that
 * is, with SIGKILL. The next start tells what is left, in order, by the same keys.
 */
import { afterEach, describe, expect, it } from "vitest";
import { type HookHome, hookHome, NOTE, named } from "./support.js";

const TIME_MS_MAX = 180_000;
/** Notes what it heard, and the first time ends its parent. */
const deadly = (mark: string): string => `${NOTE}; if [ ! -e ${mark} ]; then touch ${mark}; kill -9 $PPID; sleep 1; fi`;

let home: HookHome;
afterEach(() => home.end());

describe("a death", () => {
  it("[BH-3] while the old session's end is told: told again by the same key, then the new one's beginning", {
    timeout: TIME_MS_MAX,
  }, async () => {
    home = hookHome({ on_session_finalize: [{ command: deadly("died") }], on_session_reset: [{ command: NOTE }] });
    await home.talk("hello", "/new", "/quit");
    await home.untilHeard((heard) => heard.length > 0);
    await home.run(["chat", "-q", "go on"]);
    const heard = await home.untilHeard((all) => named(all, "on_session_reset").length > 0);
    const [first] = heard;
    const about = heard.filter(
      ({ session_id, hook_event_name }) => hook_event_name === "on_session_reset" || session_id === first?.session_id,
    );
    expect(about.map(({ hook_event_name }) => hook_event_name)).toEqual([
      "on_session_finalize",
      "on_session_finalize",
      "on_session_reset",
    ]);
    expect(about[1]?.delivery_key).toBe(first?.delivery_key);
  });

  it("[BH-3] between the two: the end is not told again, the beginning is, by the same key", {
    timeout: TIME_MS_MAX,
  }, async () => {
    home = hookHome({ on_session_finalize: [{ command: NOTE }], on_session_reset: [{ command: deadly("died") }] });
    await home.talk("hello", "/new", "/quit");
    await home.untilHeard((heard) => named(heard, "on_session_reset").length > 0);
    await home.run(["chat", "-q", "go on"]);
    const heard = await home.untilHeard((all) => named(all, "on_session_reset").length > 1);
    const [first, second] = named(heard, "on_session_reset");
    expect(second?.delivery_key).toBe(first?.delivery_key);
    const old = heard.filter(({ session_id }) => session_id === first?.extra["old_session_id"]);
    expect(old.map(({ hook_event_name }) => hook_event_name)).toEqual(["on_session_finalize"]);
    expect(heard.indexOf(old[0] as never)).toBeLessThan(heard.indexOf(first as never));
  });

  it("[FQ-9] [HK-3] of a chat whose hooks were too slow to hear of it: all is told at the next start", {
    timeout: TIME_MS_MAX,
  }, async () => {
    // Slow once: whoever waits for it at the end of a chat gives up.
    const slow = `if [ ! -e slow ]; then touch slow; sleep 1000; fi; ${NOTE}`;
    home = hookHome({ on_session_start: [{ command: slow }], on_session_finalize: [{ command: NOTE }] });
    const fromMs = performance.now();
    await home.run(["chat", "-q", "hello"]);
    expect(performance.now() - fromMs).toBeLessThan(60_000);
    await home.run(["host", "stop"]);
    await home.run(["chat", "-q", "hello again"]);
    const heard = await home.untilHeard((all) => named(all, "on_session_start").length === 2);
    expect(new Set(named(heard, "on_session_start").map(({ conversation_id }) => conversation_id)).size).toBe(2);
  });
});

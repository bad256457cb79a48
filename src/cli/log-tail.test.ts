import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { cpuMs } from "../../test/support/cpu-time.js";
import { followLog, openLogEnd } from "./log-follow.js";
import { LINE_BYTES_MAX, linesFromEnd } from "./log-tail.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-tail-"));
  path = join(folder, "talaria.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

describe("linesFromEnd", () => {
  it("gives what splitting the text would give, backwards", () => {
    const piece = fc.oneof(
      fc.constant("\n"),
      fc.string({ unit: "grapheme" }),
      fc.constant("x".repeat(70_000)),
      fc.constant("ü".repeat(40_000)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        writeFileSync(path, text);
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect([...linesFromEnd([path])].reverse()).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("goes on into older files and skips missing ones", () => {
    writeFileSync(path, "c\nd\n");
    writeFileSync(`${path}.2`, "a\nb\n");
    expect([...linesFromEnd([path, `${path}.1`, `${path}.2`])]).toEqual(["d", "c", "b", "a"]);
  });

  it("reads no more than it is asked for", () => {
    // Four billion bytes without a byte on the disk: whoever reads them all is busy for many seconds.
    writeFileSync(path, "");
    truncateSync(path, 4_000_000_000);
    appendFileSync(path, `\n${"x".repeat(99)}\n`);
    expect(cpuMs(() => expect(linesFromEnd([path]).next().value).toHaveLength(99))).toBeLessThan(500);
  });

  it("cuts a line without an end into bounded parts", () => {
    writeFileSync(path, Buffer.alloc(5 * LINE_BYTES_MAX, 0x41));
    const lengths = [...linesFromEnd([path])].map((line) => line.length);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(5 * LINE_BYTES_MAX);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(LINE_BYTES_MAX + 65_536);
  });

  it("stops where a follower begins", () => {
    writeFileSync(path, "a\nb\n");
    const end = openLogEnd(path)?.position;
    appendFileSync(path, "c\n");
    expect([...linesFromEnd([path], end)]).toEqual(["b", "a"]);
  });
});

describe("followLog", () => {
  /** Each look at the file is one step of the script; the end aborts. */
  async function follow(steps: readonly (() => void)[]): Promise<string[]> {
    const lines: string[] = [];
    const ending = new AbortController();
    let step = 0;
    const clock: Clock = {
      ...systemClock,
      sleep: async () => {
        const act = steps[step++];
        if (act === undefined) ending.abort();
        act?.();
      },
    };
    await followLog({
      path,
      keep: 5,
      from: openLogEnd(path),
      clock,
      signal: ending.signal,
      onLine: (line) => void lines.push(line),
    });
    return lines;
  }

  it("gives only what is new, whole lines, in order", async () => {
    writeFileSync(path, "old\n");
    expect(await follow([() => appendFileSync(path, "a\nb"), () => appendFileSync(path, "c\n")])).toEqual(["a", "bc"]);
  });

  it("waits for a file that does not exist yet", async () => {
    expect(await follow([() => undefined, () => writeFileSync(path, "first\n")])).toEqual(["first"]);
  });

  it("survives a rotation, and several between two looks", async () => {
    writeFileSync(path, "old\n");
    const rotate = (): void => {
      for (let at = 4; at >= 1; at--) {
        try {
          renameSync(`${path}.${at}`, `${path}.${at + 1}`);
        } catch {}
      }
      renameSync(path, `${path}.1`);
    };
    const burst = (): void => {
      appendFileSync(path, "b\n");
      rotate();
      appendFileSync(path, "c\n");
      rotate();
      appendFileSync(path, "d\n");
    };
    expect(await follow([() => appendFileSync(path, "a\n"), burst, () => appendFileSync(path, "e\n")])).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
  });

  it("misses nothing of a logger that rotates by itself", async () => {
    const log = createLogger({ path, clock: systemClock, maxBytes: 2_000, keep: 5 });
    log.info("old");
    const steps = Array.from({ length: 40 }, (_, round) => () => {
      for (let at = 0; at < 10; at++) log.info("x".repeat(50), { no: round * 10 + at });
    });
    const numbers = (await follow(steps)).map((line) => (JSON.parse(line) as { no: number }).no);
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, no) => no));
  });

  it("begins anew when somebody empties the file", async () => {
    writeFileSync(path, "old old old\n");
    expect(await follow([() => writeFileSync(path, "new\n")])).toEqual(["new"]);
  });
});

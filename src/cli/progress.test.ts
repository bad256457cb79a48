import { describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { startProgress } from "./progress.js";

function surface(isTerminal: boolean) {
  let nowMs = 0;
  const written: string[] = [];
  return {
    written,
    pass: (ms: number) => {
      nowMs += ms;
    },
    isTerminal,
    columns: 60,
    clock: { ...systemClock, monotonicMs: () => nowMs },
    write: (text: string) => void written.push(text),
  };
}

describe("progress", () => {
  it("is redrawn at most ten times a second in a terminal, and always when complete", () => {
    const screen = surface(true);
    const progress = startProgress("Importing", 1000, screen);
    for (let done = 1; done <= 1000; done++) {
      progress.update(done);
      screen.pass(1);
    }
    expect(screen.written.length).toBeLessThanOrEqual(12);
    expect(screen.written.at(-1)).toContain("100 %");
    for (const text of screen.written) expect(text.length).toBeLessThan(60 + 5);
    progress.finish();
    expect(screen.written.at(-1)).toBe("\r\u001b[K");
  });

  it("is a line for each tenth elsewhere", () => {
    const file = surface(false);
    const progress = startProgress("Importing", 1000, file);
    for (let done = 0; done <= 1000; done++) progress.update(done);
    progress.finish();
    expect(file.written).toHaveLength(10);
    expect(file.written[0]).toBe("Importing: 10 % (100 of 1,000)\n");
    expect(file.written.at(-1)).toBe("Importing: 100 % (1,000 of 1,000)\n");
  });

  it("counts when nobody knows the total, and takes a corrected one", () => {
    const screen = surface(true);
    const progress = startProgress("a\u001b[2Jb", undefined, screen);
    progress.update(5);
    expect(screen.written[0]).toBe("\rab  5\u001b[K");
    screen.pass(200);
    progress.update(5, 10);
    expect(screen.written[1]).toContain(" 50 %");
  });
});

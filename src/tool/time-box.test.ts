import { describe, expect, it } from "vitest";
import { timeBox } from "./time-box.js";

describe("timeBox", () => {
  it("answers what was computed in time", () => {
    expect(timeBox(() => [1, 2], 1_000)).toEqual({ kind: "done", value: [1, 2] });
  });

  it("[TC-46] ends an endless loop and an endless pattern", () => {
    const forever = (): never => {
      for (;;);
    };
    expect(timeBox(forever, 20)).toEqual({ kind: "out-of-time" });
    expect(timeBox(() => /(a+)+$/.test(`${"a".repeat(60)}!`), 20)).toEqual({ kind: "out-of-time" });
    expect(timeBox(() => "still here", 1_000)).toEqual({ kind: "done", value: "still here" });
  });

  it("passes on what is thrown", () => {
    const failing = (): never => {
      throw new RangeError("no");
    };
    expect(() => timeBox(failing, 1_000)).toThrow(RangeError);
  });
});

import { describe, expect, it } from "vitest";
import { marksOf } from "./variable-marks.js";
import { otherVariables } from "./variables.js";

const compare = (shell: NodeJS.ProcessEnv, host: NodeJS.ProcessEnv, file: Record<string, string> = {}) =>
  otherVariables(marksOf(shell), { env: host, file: new Map(Object.entries(file)) });

describe("variables of a shell beside a host", () => {
  it("are told by name when they differ, on either side", () => {
    expect(compare({ OPENAI_API_KEY: "k" }, {})).toEqual(["OPENAI_API_KEY"]);
    expect(compare({}, { TALARIA_MODEL: "openai/x" })).toEqual(["TALARIA_MODEL"]);
    expect(compare({ TALARIA_APPROVALS_MODE: "yolo" }, { TALARIA_APPROVALS_MODE: "ask" })).toEqual([
      "TALARIA_APPROVALS_MODE",
    ]);
    expect(compare({ OLLAMA_HOST: "box" }, { OLLAMA_HOST: "box " })).toEqual([]);
  });

  it("that both read from .env are the same", () => {
    const file = { OPENAI_API_KEY: "k" };
    expect(compare({ OPENAI_API_KEY: "k" }, {}, file)).toEqual([]);
    expect(compare({}, { OPENAI_API_KEY: "k" }, file)).toEqual([]);
    expect(compare({ OPENAI_API_KEY: "other" }, {}, file)).toEqual(["OPENAI_API_KEY"]);
    expect(compare({}, { OPENAI_API_KEY: "other" }, file)).toEqual(["OPENAI_API_KEY"]);
  });

  it("do not matter where they are the host's or the screen's own, empty, or nobody's", () => {
    const shell = { TALARIA_HOME: "/a", TALARIA_HOST_PORT: "1", TALARIA_DISPLAY_COLOR: "never", TALARIA_FAULT: "x" };
    expect(compare({ ...shell, OPENAI_API_KEY: " ", TALARIA_MODEL: "" }, {})).toEqual([]);
    expect(compare({}, shell)).toEqual([]);
  });

  it("never leave as they are", () => {
    const marks = marksOf({ OPENAI_API_KEY: "sk-secret", TALARIA_MODEL: "openai/x", PATH: "/bin" });
    expect(Object.keys(marks)).toEqual(["OPENAI_API_KEY", "TALARIA_MODEL"]);
    expect(JSON.stringify(marks)).not.toMatch(/secret|openai\/x/);
  });
});

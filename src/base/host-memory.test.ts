import { describe, expect, it } from "vitest";
import { forgetHostVariables, HOST_VARIABLES } from "./host-memory.js";

describe("variables of a host's own", () => {
  it("are taken out of the environment, and nothing else is", () => {
    const env = { ...HOST_VARIABLES, PATH: "/bin" };
    forgetHostVariables(env);
    expect(env).toEqual({ PATH: "/bin" });
  });

  it("stay where a person has set them to something else", () => {
    const env = { MALLOC_ARENA_MAX: "8", PATH: "/bin" };
    forgetHostVariables(env);
    expect(env).toEqual({ MALLOC_ARENA_MAX: "8", PATH: "/bin" });
  });
});

import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";

/** Everything that a client loads before its first frame. */
async function inputsOf(...entryPoints: string[]): Promise<readonly string[]> {
  const result = await build({
    absWorkingDir: packageRoot(),
    entryPoints,
    outdir: "unused",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["ws"],
    write: false,
    metafile: true,
  });
  return Object.keys(result.metafile.inputs);
}

describe("a client", () => {
  it("loads no schemas and no library: it is there at once", async () => {
    const inputs = await inputsOf(
      "src/client/bridge/bridge.ts",
      "src/client/start-host.ts",
      "src/client/host-command.ts",
      "src/client/follow.ts",
      "src/client/kept-line.ts",
    );
    expect(inputs).not.toEqual([]);
    expect(inputs.filter((path) => !/^src\/(base|client|protocol)\//.test(path))).toEqual([]);
    expect(inputs.filter((path) => /methods|shapes|events\.ts/.test(path))).toEqual([]);
  });
});

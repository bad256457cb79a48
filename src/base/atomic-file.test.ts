import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { removeFolder } from "../../test/support/remove-folder.js";
import { sampleCount } from "../../test/support/sample.js";
import { openReplacement, replaceFile, TEMPORARY_STALE_MS } from "./atomic-file.js";
import { systemClock } from "./clock.js";
import { packageRoot } from "./package-root.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-atomic-"));
  path = join(folder, "config.yaml");
});
afterEach(() => {
  chmodSync(folder, 0o700);
  removeFolder(folder);
});

const KILLS = sampleCount(25);

describe("replaceFile", () => {
  it("makes a file closed to others and leaves nothing beside it", async () => {
    await replaceFile(path, "one");
    await replaceFile(path, new TextEncoder().encode("two"));
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["config.yaml"]);
  });

  it("follows a link and keeps it", async () => {
    const real = join(folder, "elsewhere.yaml");
    writeFileSync(real, "old");
    symlinkSync(real, path);
    await replaceFile(path, "new");
    expect(readlinkSync(path)).toBe(real);
    expect(readFileSync(real, "utf8")).toBe("new");
  });

  it("refuses a link that leads nowhere", async () => {
    symlinkSync(join(folder, "missing"), path);
    await expect(replaceFile(path, "x")).rejects.toThrow(/link to a file that does not exist/);
  });

  it("says why it failed and leaves the old file as it was", async () => {
    mkdirSync(join(folder, "target"));
    writeFileSync(join(folder, "target", "inside"), "");
    // A folder in the file's place fails at the last step, the rename.
    await expect(replaceFile(join(folder, "target"), "x")).rejects.toThrow(/cannot be written/);
    await expect(replaceFile(join(folder, "missing", "x"), "x")).rejects.toThrow(/its folder does not exist/);
    await expect(replaceFile(join(folder, "target", "inside", "x"), "x")).rejects.toThrow(/cannot be written|ENOTDIR/);
    expect(readdirSync(folder)).toEqual(["target"]);
  });

  it.skipIf(process.getuid?.() === 0)("leaves the old file in a folder it may not write to", async () => {
    writeFileSync(path, "old");
    chmodSync(folder, 0o500);
    await expect(replaceFile(path, "new")).rejects.toThrow(/may not write/);
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it("removes what a killed process left behind, and only that", async () => {
    const stale = join(folder, ".config.yaml.0123.tmp");
    const fresh = join(folder, ".config.yaml.4567.tmp");
    const foreign = join(folder, ".other.yaml.89ab.tmp");
    for (const file of [stale, fresh, foreign]) writeFileSync(file, "");
    const old = (systemClock.nowMs() - TEMPORARY_STALE_MS - 1000) / 1000;
    utimesSync(stale, old, old);
    utimesSync(foreign, old, old);
    await replaceFile(path, "x");
    expect(readdirSync(folder).sort()).toEqual([".config.yaml.4567.tmp", ".other.yaml.89ab.tmp", "config.yaml"]);
  });
});

describe("openReplacement", () => {
  it("shows nothing before commit, and everything after it", async () => {
    writeFileSync(path, "old");
    const replacement = await openReplacement(path);
    await replacement.write("new ");
    await replacement.write("content");
    expect(readFileSync(path, "utf8")).toBe("old");
    await replacement.commit();
    expect(readFileSync(path, "utf8")).toBe("new content");
  });

  it("can be given up at the last moment", async () => {
    writeFileSync(path, "old");
    const replacement = await openReplacement(path);
    await replacement.write("new");
    expect(await replacement.commit(() => readFileSync(path, "utf8") !== "old")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["config.yaml"]);
  });

  it("forgets everything on discard", async () => {
    writeFileSync(path, "old");
    const replacement = await openReplacement(path);
    await replacement.write("new");
    await replacement.discard();
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["config.yaml"]);
  });
});

describe("a process that is killed while it writes", () => {
  it("leaves a whole file every time", async () => {
    const script = await bundleTs(join(packageRoot(), "test", "cli", "support", "write-forever.ts"));
    const roundIn = (): number => (JSON.parse(readFileSync(path, "utf8")) as { round: number }).round;
    let seen = -1;
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
      // The child says when it has begun; then it is killed somewhere in the middle, later each time.
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await systemClock.sleep(kill * 2);
      if (kill === KILLS - 1) await expect.poll(roundIn).toBeGreaterThan(0);
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      const { round, filling } = JSON.parse(readFileSync(path, "utf8")) as { round: number; filling: string };
      expect(filling).toHaveLength(200_000);
      expect(round).toBeGreaterThanOrEqual(0);
      seen = Math.max(seen, round);
    }
    expect(seen).toBeGreaterThan(0);
  });
});

describe("a process that ends at once", () => {
  it("takes its unfinished file along", async () => {
    const script = join(folder, "ends.ts");
    const source = join(packageRoot(), "src", "base", "atomic-file.js");
    writeFileSync(
      script,
      `import { openReplacement } from ${JSON.stringify(source)};
       const file = await openReplacement(${JSON.stringify(path)});
       await file.write("half of a private text");
       process.exit(130);`,
    );
    const child = spawn(process.execPath, [join(packageRoot(), "scripts", "run-ts.mjs"), script], { stdio: "inherit" });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(130);
    expect(readdirSync(folder)).toEqual(["ends.ts"]);
  });
});

import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expand, homePaths, prepareHome, resolveHome } from "./home.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-home-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("where the home is", () => {
  it.each([
    ["the flag goes first", "/flag", { TALARIA_HOME: "/env", HOME: "/me" }, "/flag"],
    ["then the variable", undefined, { TALARIA_HOME: "/env", HOME: "/me" }, "/env"],
    ["then ~/.talaria", undefined, { HOME: "/me" }, "/me/.talaria"],
    ["an empty variable says nothing", undefined, { TALARIA_HOME: "", HOME: "/me" }, "/me/.talaria"],
    ["a tilde is the person's home", "~/t", { HOME: "/me" }, "/me/t"],
    ["a name with a tilde is a name", "/x/~y", { HOME: "/me" }, "/x/~y"],
  ])("%s", (_title, flag, env, root) => expect(resolveHome(flag, env).root).toBe(root));

  it("refuses an empty flag and a path that cannot be", () => {
    expect(() => resolveHome("", {})).toThrow(/--home needs a folder/);
    expect(() => resolveHome("/a\0b", {})).toThrow(/NUL/);
  });

  it("resolves a relative path from the current folder", () => {
    expect(expand("x", {})).toBe(join(process.cwd(), "x"));
  });

  it("knows every place of the layout", () => {
    const paths = homePaths("/h");
    expect(paths).toMatchObject({
      config: "/h/config.yaml",
      env: "/h/.env",
      stateDb: "/h/state.db",
      searchDb: "/h/search.db",
      mirror: "/h/sessions.json",
      attachments: "/h/attachments",
      hostLock: "/h/run/host.lock",
      hostFile: "/h/run/host.json",
      hostSocket: "/h/run/host.sock",
      logFile: "/h/logs/talaria.log",
      backups: "/h/backups",
    });
  });
});

describe("prepareHome", () => {
  it("makes every folder, closed to others, and says nothing", () => {
    const paths = homePaths(join(folder, "new"));
    expect(prepareHome(paths)).toEqual([]);
    for (const path of [paths.root, paths.attachments, paths.memories, paths.skills, paths.plugins, paths.hooks]) {
      expect(modeOf(path)).toBe("700");
    }
    for (const path of [paths.logs, paths.run, paths.backups]) expect(modeOf(path)).toBe("700");
    expect(prepareHome(paths)).toEqual([]);
  });

  it("closes a home of ours that others could read, and says so", () => {
    const paths = homePaths(folder);
    prepareHome(paths);
    writeFileSync(paths.config, "");
    chmodSync(paths.root, 0o755);
    chmodSync(paths.logs, 0o777);
    const remarks = prepareHome(paths);
    expect(remarks).toHaveLength(2);
    expect(remarks[0]).toMatch(/closed .* \(its mode was 755\)/);
    expect(modeOf(paths.root)).toBe("700");
    expect(modeOf(paths.logs)).toBe("700");
  });

  it("never changes the mode of a folder that holds other things", () => {
    writeFileSync(join(folder, "thesis.odt"), "");
    chmodSync(folder, 0o755);
    expect(prepareHome(homePaths(folder))).toEqual([expect.stringMatching(/other users can read .*chmod 700/)]);
    expect(modeOf(folder)).toBe("755");
  });

  it("leaves files in the home alone, databases above all", () => {
    const paths = homePaths(folder);
    writeFileSync(paths.stateDb, "content");
    chmodSync(paths.stateDb, 0o640);
    const before = statSync(paths.stateDb);
    prepareHome(paths);
    const after = statSync(paths.stateDb);
    expect([after.mode, after.mtimeMs, after.atimeMs]).toEqual([before.mode, before.mtimeMs, before.atimeMs]);
  });

  it.each([
    ["a file", (root: string) => writeFileSync(root, ""), /is a file, not a folder/],
    ["below a file", (root: string) => writeFileSync(join(root, ".."), ""), /lies below a file/],
    ["without its parent", (_root: string) => undefined, /does not exist/],
    [
      "with a file where a folder belongs",
      (root: string) => {
        mkdirSync(root);
        writeFileSync(join(root, "logs"), "");
      },
      /home\/logs is a file, and the home .*\/home needs a folder there/,
    ],
  ])("refuses a home that is %s", (what, arrange, expected) => {
    const root =
      what === "below a file" || what === "without its parent" ? join(folder, "up", "home") : join(folder, "home");
    arrange(root);
    expect(() => prepareHome(homePaths(root))).toThrow(expected);
    expect(existsSync(join(root, "run"))).toBe(false);
  });
});

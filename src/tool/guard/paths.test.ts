import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { judgePath, locate, type PathContext, type PathMode } from "./paths.js";
import { SPOOL_FOLDER } from "./places.js";

let root: string;
let context: PathContext;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "talaria-paths-")));
  const personHome = join(root, "ada");
  const [cwd, home] = [join(personHome, "work"), join(personHome, ".talaria")];
  for (const folder of [cwd, join(cwd, "sub"), join(home, "run", "output"), join(personHome, ".ssh")]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const file of [join(cwd, "a.txt"), join(home, ".env"), join(home, "state.db"), join(personHome, "other.txt")]) {
    writeFileSync(file, "x");
  }
  context = { cwd, home, personHome };
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));

const at = (...names: string[]): string => join(root, "ada", ...names);
const verdict = async (path: string, mode: PathMode = "read"): Promise<string> => {
  const guard = await judgePath(path, mode, context);
  return guard.kind === "ask" ? guard.grant : guard.kind;
};

describe("[AP-20] the working directory", () => {
  it("is allowed, for what exists and for what does not yet", async () => {
    for (const path of ["a.txt", "./sub/../a.txt", "new/deep/file.txt", ".", at("work", "a.txt"), "~/work/a.txt"]) {
      expect(await verdict(path)).toBe("allow");
      expect(await verdict(path, "write")).toBe("allow");
    }
  });

  it("ends where it ends: outside a person is asked about the folder", async () => {
    expect(await verdict("../other.txt")).toBe(`read outside: ${at()}`);
    expect(await verdict("~/other.txt", "write")).toBe(`write outside: ${at()}`);
    expect(await verdict("/usr/share")).toBe("read outside: /usr/share");
    expect(await verdict(at("work-not"))).toBe(`read outside: ${at()}`);
    expect(await verdict("../work/../other.txt")).toBe(`read outside: ${at()}`);
  });

  it("is named in a reason that follows the word because", async () => {
    const why = async (path: string, mode: PathMode): Promise<string> => {
      const guard = await judgePath(path, mode, context);
      return guard.kind === "ask" ? guard.why : guard.kind;
    };
    expect(await why("../other.txt", "read")).toBe(
      `it reads ${at("other.txt")}, outside the working directory ${at("work")}`,
    );
    expect(await why("~/.ssh/config", "read")).toMatch(/^it reads \S+: /);
    expect(await why("~/.bashrc", "write")).toMatch(/^it writes \S+: /);
  });

  it("is not left by a link, also by one that dangles, one of a folder above, or one through ..", async () => {
    symlinkSync(at("other.txt"), at("work", "link"));
    symlinkSync(at("missing", "file"), at("work", "dangling"));
    symlinkSync(at(), at("work", "up"));
    symlinkSync("/usr/share", at("work", "away"));
    expect(await verdict("link")).toBe(`read outside: ${at()}`);
    expect(await verdict("dangling", "write")).toBe(`write outside: ${at("missing")}`);
    expect(await verdict("up/new.txt", "write")).toBe(`write outside: ${at()}`);
    // The kernel's `away/..` is /usr, not the working directory.
    expect(await verdict("away/../x")).toBe("read outside: /usr");
  });

  it("may be a link itself", async () => {
    symlinkSync(at("work"), at("alias"));
    context = { ...context, cwd: at("alias") };
    expect(await verdict("a.txt")).toBe("allow");
    expect(await verdict(at("work", "a.txt"))).toBe("allow");
  });

  it("says nothing when it is the root", async () => {
    context = { ...context, cwd: "/" };
    expect(await verdict("usr/share")).toBe("read outside: /usr/share");
  });

  it("tells where a path really leads", async () => {
    symlinkSync(at("work", "a.txt"), at("work", "b.txt"));
    expect((await locate("b.txt", "read", context)).path).toBe(at("work", "a.txt"));
  });
});

describe("[AP-21] our own home, devices and processes", () => {
  it.each([".env", "state.db", "state.db-wal", "search.db", "STATE.DB", "run/host.sock", "backups/x.db", ".env.old"])(
    "refuses %s for reading and writing, also when the working directory holds it",
    async (name) => {
      for (const cwd of [at("work"), at(".talaria"), at()]) {
        context = { ...context, cwd };
        expect(await verdict(at(".talaria", name))).toBe("refuse");
        expect(await verdict(at(".talaria", name), "write")).toBe("refuse");
      }
    },
  );

  it.each(["config.yaml", "sessions.json", "plugins/x.js", "hooks/x.sh", "logs/a.log", "."])(
    "refuses to write %s and asks before reading it",
    async (name) => {
      expect(await verdict(at(".talaria", name), "write")).toBe("refuse");
      expect(await verdict(at(".talaria", name))).toMatch(/^read outside: /);
    },
  );

  it("lets the spool be read by name, not listed and not written", async () => {
    const file = at(".talaria", ...SPOOL_FOLDER.split("/"), "call.txt");
    writeFileSync(file, "x");
    expect(await verdict(file)).toBe("allow");
    expect(await verdict(file, "write")).toBe("refuse");
    expect(await verdict(dirname(file))).toBe("refuse");
    expect(await verdict(join(dirname(file), "other.txt"))).not.toBe("allow");
  });

  it("knows a secret under another name", async () => {
    symlinkSync(at(".talaria", ".env"), at("work", "soft"));
    linkSync(at(".talaria", ".env"), at("work", "hard"));
    symlinkSync(at(".talaria"), at("work", "folder"));
    for (const name of ["soft", "hard", "folder/.env", "folder/run/x"]) expect(await verdict(name)).toBe("refuse");
  });

  it("refuses what is no file", async () => {
    execFileSync("mkfifo", [at("work", "fifo")]);
    for (const path of [
      "/dev/zero",
      "/dev/tty",
      "/dev/sda",
      "/dev/mem",
      "fifo",
      "/proc/self/environ",
      "/proc/1/mem",
      "/proc/kcore",
      "/proc/self/root/etc/passwd/../../proc/self/environ",
    ]) {
      expect(await verdict(path)).toBe("refuse");
    }
    expect(await verdict("/dev/null", "write")).toMatch(/outside/);
  });

  it("refuses what no path can be", async () => {
    symlinkSync("loop", at("work", "loop"));
    for (const path of ["", "a\0b", "x".repeat(5000), "loop"]) {
      expect(await verdict(path)).toBe("refuse");
      expect((await locate(path, "read", context)).path).toBeUndefined();
    }
  });
});

describe("[AP-22] credentials of other programs", () => {
  it.each([
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".netrc",
    ".npmrc",
    ".config/gh/hosts.yml",
    ".docker/config.json",
    ".gnupg",
  ])("asks before ~/%s is read and never writes it, also inside the working directory", async (name) => {
    for (const cwd of [at("work"), at()]) {
      context = { ...context, cwd };
      expect(await verdict(at(name))).toBe(`read credentials: ${at(name)}`);
      expect(await verdict(at(name), "write")).toBe("refuse");
    }
  });

  it("includes those of the system", async () => {
    expect(await verdict("/etc/shadow")).toBe("read credentials: /etc/shadow");
    expect(await verdict("/etc/sudoers.d/x", "write")).toBe("refuse");
  });

  it("is not every file of such a name: a project's own .npmrc is a file", async () => {
    expect(await verdict(".npmrc", "write")).toBe("allow");
  });

  it("asks before something is written that runs later by itself", async () => {
    context = { ...context, cwd: at() };
    expect(await verdict("~/.bashrc", "write")).toBe(`write startup file: ${at(".bashrc")}`);
    expect(await verdict("~/.bashrc")).toBe("allow");
    expect(await verdict("work/.git/hooks/pre-commit", "write")).toMatch(/^write startup file/);
  });
});

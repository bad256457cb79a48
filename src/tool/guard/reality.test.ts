/** Commands judged among real files and links; where it matters, the shell itself shows what they would have done. */
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { findShell } from "../terminal/shell.js";
import { judgeCommandHere, PATHS_MAX } from "./reality.js";
import type { CommandPlaces } from "./vital.js";

let root: string;
let places: CommandPlaces;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "talaria-reality-")));
  const personHome = join(root, "ada");
  const [cwd, home] = [join(personHome, "work"), join(personHome, ".talaria")];
  for (const folder of [
    join(cwd, "sub"),
    join(cwd, "src"),
    home,
    join(personHome, ".ssh"),
    join(personHome, "other"),
  ]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const name of [".env", "state.db", "config.yaml"]) writeFileSync(join(home, name), `secret of ${name}\n`);
  writeFileSync(join(cwd, "a.txt"), "x");
  places = { cwd, home, personHome, hostPid: 4711 };
});
afterEach(() => removeFolder(root));

const verdict = async (command: string, given = places): Promise<string> => {
  const guard = await judgeCommandHere(command, given);
  return guard.kind === "ask" ? guard.grant : guard.kind;
};

function shell(command: string): string {
  const env = { PATH: process.env["PATH"], HOME: places.personHome };
  return execFileSync(findShell(), ["-c", command], {
    cwd: places.cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

describe("[AP-23] a link opens nothing that its target would not", () => {
  it("for a link to everything, to a person's folder, to our home and to a file in it", async () => {
    const links = { r: "/", up: "..", own: places.home, env: join(places.home, ".env"), deep: "up/.talaria" };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(places.cwd, name));
    const reads = [`r${places.home}/.env`, "up/.talaria/.env", "own/.env", "env", "deep/.env", "sub/../own/.env"];
    reads.push("ow*/.env", "o?n/.e*", "./e[n]v", "up/.talaria/../.talaria/.env");
    for (const path of reads) {
      // It is the secret, or the test would prove nothing.
      expect([path, shell(`cat ${path}`)]).toEqual([path, "secret of .env\n"]);
      expect([path, await verdict(`cat ${path} | rev`)]).toEqual([path, "refuse"]);
      expect([path, await verdict(`X=${path}; base64 < "$X"`)]).toEqual([path, "refuse"]);
    }
    for (const command of [
      `rm -f r${places.home}/state.db`,
      "rm own/state.db",
      `echo "approvals: {mode: yolo}" >> r${places.home}/config.yaml`,
      "echo x > own/config.yaml",
      "cd own && cat .env",
      "cd up; cd .talaria; cat .env",
      "cp -r own/. copy",
      "cp -rL own copy",
      "rm -rf r/*",
      "rm -rf r/etc",
      "cd r && rm -rf ./*",
      "rm -rf up/",
      "chmod -R 777 up",
      "sqlite3 own/state.db .dump",
    ]) {
      expect([command, await verdict(command)]).toEqual([command, "refuse"]);
    }
  });

  it("also when the same command makes it", async () => {
    for (const command of [
      "ln -s ~ r; cat r/.talaria/.env",
      `ln -s ${places.home} r && cat r/.env`,
      "ln -sfn ../.talaria q; cat q/.env",
      "ln ../.talaria/.env q",
      "cp -s ../.talaria/.env q",
      "ln -s .. r; ln -s r/.talaria q; cat q/.env",
      "ln -s / r; rm -rf r/*",
    ]) {
      expect([command, await verdict(command)]).toEqual([command, "refuse"]);
    }
  });

  it("also for a hard link", async () => {
    linkSync(join(places.home, ".env"), join(places.cwd, "hard"));
    expect(shell("cat hard")).toBe("secret of .env\n");
    expect(await verdict("cat hard")).toBe("refuse");
  });

  it("and a link that is removed or replaced is only a link", async () => {
    symlinkSync("/etc", join(places.cwd, "etc-link"));
    symlinkSync(join(places.personHome, "other"), join(places.cwd, "gone"));
    expect(await verdict("rm etc-link gone")).toBe("allow");
    expect(await verdict("unlink gone")).toBe("allow");
    expect(await verdict("rm -rf etc-link")).toBe("terminal:recursive-delete");
    expect(await verdict("rm -rf etc-link/")).toBe("refuse");
  });

  it("and what leads outside is asked about as outside", async () => {
    symlinkSync(join(places.personHome, "other"), join(places.cwd, "away"));
    symlinkSync(join(places.personHome, ".ssh"), join(places.cwd, "keys"));
    symlinkSync("/etc", join(places.cwd, "etc"));
    symlinkSync("/dev/sda", join(places.cwd, "disk"));
    // The rest of this machine stands in for a folder where nobody may leave things.
    expect(await verdict("echo x > etc/hosts")).toBe("terminal:system-write");
    expect(await verdict("cat keys/id_ed25519")).toBe("terminal:credentials");
    expect(await verdict("cat image > disk")).toBe("refuse");
    expect(await verdict("cat etc/hosts")).toBe("allow");
  });
});

describe("[AP-23] our home has more than one name", () => {
  it("when it is a link itself, both are ours", async () => {
    const named = { ...places, home: join(root, "alias") };
    symlinkSync(places.home, named.home);
    for (const home of [places.home, named.home]) {
      expect(shell(`cat ${home}/.env`)).toBe("secret of .env\n");
      expect(await verdict(`cat ${home}/.env`, named)).toBe("refuse");
      expect(await verdict(`rm -rf ${home}`, named)).toBe("refuse");
      expect(await verdict(`echo x >> ${home}/config.yaml`, named)).toBe("refuse");
      expect(await verdict(`cp -r ${home} c`, named)).toBe("refuse");
      expect(await verdict(`ln -s ${home}/.env e`, named)).toBe("refuse");
      expect(await verdict(`grep x r${home}/.env`, named)).toBe("refuse");
    }
  });

  it("when the person's folder is a link, both are the person's", async () => {
    const named = { ...places, personHome: join(root, "person"), home: join(root, "person", ".talaria") };
    symlinkSync(places.personHome, named.personHome);
    for (const folder of [places.personHome, named.personHome]) {
      expect(await verdict(`rm -rf ${folder}`, named)).toBe("refuse");
      expect(await verdict(`cat ${folder}/.talaria/.env`, named)).toBe("refuse");
      expect(await verdict(`cat ${folder}/.netrc`, named)).toBe("terminal:credentials");
    }
  });
});

describe("ordinary work among links", () => {
  it("runs without a question", async () => {
    symlinkSync("a.txt", join(places.cwd, "b.txt"));
    symlinkSync("../src", join(places.cwd, "sub", "src"));
    for (const command of [
      "cat b.txt",
      "echo x > b.txt",
      "ls sub/src",
      "touch sub/src/new",
      "grep -rn x .",
      "rm b.txt",
      "cp -r src copy",
      "tar czf out.tgz .",
      "ln -s a.txt c.txt",
      "ln -sf ../a.txt sub/c.txt",
      "ls *",
      "cat /dev/stdin",
      "echo x > /dev/stderr",
      "echo x >/dev/null 2>&1",
      "cat src/*.ts sub/*/x",
      "git add . && git commit -m 'a b c'",
    ]) {
      expect([command, await verdict(command)]).toEqual([command, "allow"]);
    }
  });

  it("when the working directory itself is a link", async () => {
    symlinkSync(places.cwd, join(root, "here"));
    const linked = { ...places, cwd: join(root, "here") };
    for (const command of ["echo x > a.txt", `touch ${places.cwd}/new`, "cp -r src copy", "cat ../here/a.txt"]) {
      expect([command, await verdict(command, linked)]).toEqual([command, "allow"]);
    }
  });

  it("is asked about when it names more than can be looked at", async () => {
    const names = Array.from({ length: PATHS_MAX + 1 }, (_, index) => `f${index}`);
    expect(await verdict(`cat ${names.join(" ")}`)).toBe("terminal:unclear");
  });
});

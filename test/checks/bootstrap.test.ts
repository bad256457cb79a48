/**
 * The bootstrap in a project of its own, with an npm that only notes that it was called: real processes,
 * real signals, no network.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { plant } from "./tree.js";

const script = (name: string) => readFileSync(join("scripts", name), "utf8");

const NPM = `
const fs = require("node:fs");
fs.appendFileSync("npm.log", process.argv.slice(2).join(" ") + "\\n");
console.log("npm talks on stdout");
const end = () => {
  fs.mkdirSync("node_modules/tool", { recursive: true });
  process.exit(Number(process.env.FAKE_NPM_EXIT ?? 0));
};
const gate = process.env.FAKE_NPM_GATE;
if (gate) setInterval(() => fs.existsSync(gate) && end(), 20);
else setTimeout(end, Number(process.env.FAKE_NPM_MS ?? 0));
`;

const BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const fresh = createRequire(import.meta.url)("./freshness.cjs");
appendFileSync("build.log", "build\\n");
mkdirSync("dist", { recursive: true });
writeFileSync("dist/main.js", "");
writeFileSync(fresh.BUILD_STAMP, JSON.stringify({ fingerprint: fresh.buildFingerprint("."), files: ["main.js"] }));
`;

const PROGRAM = `
console.log(JSON.stringify({ args: process.argv.slice(2), isMain: require.main === module }));
process.exitCode = 7;
`;

const LOCKFILE = JSON.stringify({ packages: { "": {}, "node_modules/tool": { version: "1.0.0" } } });

function project(): string {
  return plant({
    "scripts/bootstrap.cjs": script("bootstrap.cjs"),
    "scripts/freshness.cjs": script("freshness.cjs"),
    "scripts/lock.cjs": script("lock.cjs"),
    "scripts/build.mjs": BUILD,
    "bin/talaria.cjs": PROGRAM,
    "package.json": "{}",
    "package-lock.json": LOCKFILE,
    "src/base/a.ts": "export const a = 1;\n",
    "fake/npm-cli.js": NPM,
  });
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

function launch(
  root: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [join(root, "scripts/bootstrap.cjs"), ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: join(root, "home"), npm_execpath: join(root, "fake/npm-cli.js"), ...env },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, out, err })),
  );
  return { child, ended };
}

const start = (root: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  launch(root, ["start", ...args], env).ended;
const calls = (root: string, log: "npm.log" | "build.log") =>
  existsSync(join(root, log)) ? readFileSync(join(root, log), "utf8").trim().split("\n").length : 0;

describe("npm start on a fresh clone", () => {
  it("installs, builds and goes on with the arguments and the exit code of the program", async () => {
    const root = project();
    const first = await start(root, ["sessions", "list", "--json"]);
    expect(first).toMatchObject({ code: 7, out: '{"args":["sessions","list","--json"],"isMain":true}\n' });
    expect(first.err).toMatch(/installing packages \(once\) …[\s\S]*npm talks on stdout[\s\S]*building …/);
    expect(readFileSync(join(root, "npm.log"), "utf8")).toMatch(/^ci --include=dev /);
  });

  it("says and does nothing more the next time", async () => {
    const root = project();
    await start(root);
    expect(await start(root)).toMatchObject({ code: 7, err: "" });
    expect([calls(root, "npm.log"), calls(root, "build.log")]).toEqual([1, 1]);
  });

  it("accepts packages that npm itself installed completely from this lockfile", async () => {
    const root = project();
    mkdirSync(join(root, "node_modules/tool"), { recursive: true });
    writeFileSync(join(root, "node_modules/.package-lock.json"), LOCKFILE);
    await start(root);
    expect(calls(root, "npm.log")).toBe(0);
  });

  it("does not accept other versions, or a package that is gone", async () => {
    const root = project();
    mkdirSync(join(root, "node_modules/tool"), { recursive: true });
    writeFileSync(join(root, "node_modules/.package-lock.json"), LOCKFILE.replace("1.0.0", "0.9.0"));
    await start(root);
    expect(calls(root, "npm.log")).toBe(1);
    const other = project();
    mkdirSync(join(other, "node_modules"), { recursive: true });
    writeFileSync(join(other, "node_modules/.package-lock.json"), LOCKFILE);
    await start(other);
    expect(calls(other, "npm.log")).toBe(1);
  });
});

describe("a later npm start", () => {
  it("installs again when the lockfile's content changed, not when only its time did", async () => {
    const root = project();
    await start(root);
    utimesSync(join(root, "package-lock.json"), new Date(), new Date());
    await start(root);
    expect(calls(root, "npm.log")).toBe(1);
    writeFileSync(join(root, "package-lock.json"), LOCKFILE.replace("1.0.0", "1.1.0"));
    await start(root);
    expect(calls(root, "npm.log")).toBe(2);
  });

  it("builds again when a source, the build script or an output changed, not for a test", async () => {
    const root = project();
    await start(root);
    writeFileSync(join(root, "src/base/a.test.ts"), "");
    await start(root);
    expect(calls(root, "build.log")).toBe(1);
    writeFileSync(join(root, "src/base/b.ts"), "");
    await start(root);
    expect(calls(root, "build.log")).toBe(2);
    rmSync(join(root, "src/base/b.ts"));
    await start(root);
    expect(calls(root, "build.log")).toBe(3);
    writeFileSync(join(root, "scripts/build.mjs"), `${BUILD}\n`);
    await start(root);
    expect(calls(root, "build.log")).toBe(4);
    rmSync(join(root, "dist/main.js"));
    await start(root);
    expect(calls(root, "build.log")).toBe(5);
  });
});

describe("an install that goes wrong", () => {
  it("is reported with what to do, and tried again the next time", async () => {
    const root = project();
    const failed = await start(root, [], { FAKE_NPM_EXIT: "3" });
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toMatch(/npm ci failed \(exit code 3\)\n.*run this again/);
    expect(await start(root)).toMatchObject({ code: 7 });
    expect(calls(root, "npm.log")).toBe(2);
  });

  it("is done again after a kill, once the npm it left behind has ended", async () => {
    const root = project();
    const gate = join(root, "gate");
    const killed = launch(root, ["start"], { FAKE_NPM_GATE: gate });
    await vi.waitFor(() => expect(calls(root, "npm.log")).toBe(1), { timeout: 60_000 });
    killed.child.kill("SIGKILL");
    const waiting = launch(root, ["start"]);
    await new Promise<void>((resolve) => waiting.child.stderr?.once("data", () => resolve()));
    writeFileSync(gate, "");
    const next = await waiting.ended;
    expect(next).toMatchObject({ code: 7 });
    expect(next.err).toMatch(/waiting for another install or build[\s\S]*installing packages/);
    expect(calls(root, "npm.log")).toBe(2);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with npm on %s and leaves no lock", async (signal) => {
    const root = project();
    const stopped = launch(root, ["start"], { FAKE_NPM_MS: "60000" });
    await vi.waitFor(() => expect(calls(root, "npm.log")).toBe(1), { timeout: 60_000 });
    stopped.child.kill(signal);
    expect(await stopped.ended).toMatchObject({ code: signal === "SIGTERM" ? 143 : 130, out: "" });
    expect(existsSync(join(root, ".talaria/bootstrap.lock"))).toBe(false);
    expect(await start(root)).toMatchObject({ code: 7 });
  });
});

describe("several at once", () => {
  it("install and build once, and all go on", async () => {
    const root = project();
    const all = await Promise.all([1, 2, 3].map((n) => start(root, [String(n)], { FAKE_NPM_MS: "300" })));
    expect(all.map((ended) => ended.code)).toEqual([7, 7, 7]);
    expect(all.map((ended) => JSON.parse(ended.out).args)).toEqual([["1"], ["2"], ["3"]]);
    expect([calls(root, "npm.log"), calls(root, "build.log")]).toEqual([1, 1]);
  });

  it("wait for a holder that is alive", async () => {
    const root = project();
    await start(root);
    writeFileSync(join(root, "src/base/b.ts"), "");
    const lock = join(root, ".talaria/bootstrap.lock");
    mkdirSync(lock);
    writeFileSync(join(lock, "owner.json"), JSON.stringify({ pid: process.pid, host: hostname() }));
    const waiting = launch(root, ["start"]);
    await new Promise<void>((resolve) => waiting.child.stderr?.once("data", () => resolve()));
    expect(calls(root, "build.log")).toBe(1);
    rmSync(lock, { recursive: true });
    expect((await waiting.ended).err).toMatch(
      new RegExp(`waiting for .* \\(process ${process.pid}\\) …[\\s\\S]*building`),
    );
    expect(calls(root, "build.log")).toBe(2);
  });

  it("take over a lock whose holder is dead", async () => {
    const root = project();
    const gone = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => gone.on("close", resolve));
    mkdirSync(join(root, ".talaria/bootstrap.lock"), { recursive: true });
    writeFileSync(
      join(root, ".talaria/bootstrap.lock/owner.json"),
      JSON.stringify({ pid: gone.pid, host: hostname() }),
    );
    expect(await start(root)).toMatchObject({ code: 7 });
  });
});

describe("a wrong call", () => {
  it("names the modes", async () => {
    expect(await launch(project(), ["strat"]).ended).toMatchObject({
      code: 1,
      err: expect.stringContaining("use one of: start"),
    });
  });
});

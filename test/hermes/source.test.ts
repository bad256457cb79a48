import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import { hermesHome } from "../support/hermes/home.js";
import { historyOf, importFrom, newStore } from "../support/hermes/import.js";
import { fingerprint } from "../support/hermes/tree.js";
import { removeFolder } from "../support/remove-folder.js";

const folders: string[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child, "SIGKILL");
  for (const folder of folders.splice(0)) removeFolder(folder);
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "hermes-source-"));
  folders.push(made);
  return made;
}

function closedHome(): string {
  const home = hermesHome({ dir: folder() });
  home.session({ id: "busy", title: "busy" });
  home.message({ session_id: "busy", content: "first" });
  home.close();
  return home.dir;
}

/** The other program, in a process of its own, with its database open. */
async function startProgram(dir: string, mode = "forever"): Promise<ChildProcess> {
  const script = [
    join(packageRoot(), "scripts", "run-ts.mjs"),
    join(packageRoot(), "test/support/hermes/busy-program.ts"),
  ];
  const child = spawn(process.execPath, [...script, dir, mode], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await new Promise((resolve, reject) => {
    child.stdout?.once("data", resolve);
    child.once("exit", () => reject(new Error("the program ended")));
  });
  return child;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.removeAllListeners("exit");
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await exit;
}

describe("the source of an import", () => {
  it("[IM-1] is byte for byte as it was, with no file beside it, when the program is closed", async () => {
    const dir = closedHome();
    const before = fingerprint(dir);
    expect((await importFrom(dir, newStore())).messages.added).toBe(1);
    expect(fingerprint(dir)).toEqual(before);
    expect(existsSync(join(dir, "state.db-wal"))).toBe(false);
  });

  it("[IM-1] is as it was when the program runs and says nothing meanwhile", async () => {
    const dir = closedHome();
    await startProgram(dir, "once");
    const before = fingerprint(dir);
    expect(Object.keys(before)).toContain("state.db-shm");
    expect((await importFrom(dir, newStore())).messages.added).toBe(2);
    expect(fingerprint(dir)).toEqual(before);
  });

  it("[IM-1] is as it was when the program was killed, and what stands in its log is read", async () => {
    const dir = closedHome();
    await ended(await startProgram(dir, "once"), "SIGKILL");
    const before = fingerprint(dir);
    const store = newStore();
    expect((await importFrom(dir, store)).messages.added).toBe(2);
    expect((await historyOf(store, "busy")).map(({ text }) => text)).toEqual(["first", "once"]);
    expect(fingerprint(dir)).toEqual(before);
  });

  it("[IM-1] is as it was when the index of its log is missing, as in a copied home", async () => {
    const dir = closedHome();
    await ended(await startProgram(dir, "once"), "SIGKILL");
    const copy = folder();
    for (const name of ["state.db", "state.db-wal"]) copyFileSync(join(dir, name), join(copy, name));
    const before = fingerprint(copy);
    expect((await importFrom(copy, newStore())).messages.added).toBe(2);
    expect(fingerprint(copy)).toEqual(before);
  });

  it("[IM-1] can be a folder that may not be written", async () => {
    const dir = closedHome();
    chmodSync(join(dir, "state.db"), 0o400);
    chmodSync(dir, 0o500);
    const report = await importFrom(dir, newStore()).finally(() => chmodSync(dir, 0o700));
    expect(report.messages.added).toBe(1);
  });

  it("[IM-1] [IM-2] can be in use: what came meanwhile comes with the next run, once", async () => {
    const dir = closedHome();
    const program = await startProgram(dir);
    const store = newStore();
    const counts: number[] = [];
    for (let run = 0; run < 5; run++) counts.push((await importFrom(dir, store)).messages.added);
    await ended(program, "SIGKILL");
    await importFrom(dir, store);
    const texts = (await historyOf(store, "busy")).map(({ text }) => Number(text.split(" ")[1] ?? -1));
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.slice(1)).toEqual(texts.slice(1).map((_, index) => index));
    expect(counts[0]).toBeGreaterThan(0);
  });

  it("[IM-1] is refused with a reason when it is missing, no home, foreign, damaged or a folder", async () => {
    const missing = join(folder(), "nowhere");
    await expect(importFrom(missing, newStore())).rejects.toThrow(/does not exist/);
    await expect(importFrom(folder(), newStore())).rejects.toThrow(/is not a home of hermes-agent/);
    const text = folder();
    writeFileSync(join(text, "state.db"), "these are not the pages you are looking for, ".repeat(100));
    await expect(importFrom(text, newStore())).rejects.toThrow(/state.db is not a database/);
    const empty = folder();
    writeFileSync(join(empty, "state.db"), "");
    await expect(importFrom(empty, newStore())).rejects.toThrow(/is not a hermes-agent database/);
    const views = hermesHome();
    views.sql("ALTER TABLE sessions RENAME TO others");
    views.sql("CREATE VIEW sessions AS SELECT * FROM others");
    views.close();
    await expect(importFrom(views.dir, newStore())).rejects.toThrow(/is not a hermes-agent database/);
    views.remove();
    const inFolder = folder();
    mkdirSync(join(inFolder, "state.db"));
    await expect(importFrom(inFolder, newStore())).rejects.toThrow(/is a folder/);
    const damaged = closedHome();
    const before = join(damaged, "state.db");
    writeFileSync(before, "\xff".repeat(4000), { flag: "r+" });
    await expect(importFrom(damaged, newStore())).rejects.toThrow(/is not a database|is damaged/);
  });
});

import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { judgeLeaving, type LeavingWish } from "./leaving-files.js";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function machine(): Promise<{ at: string; wish: LeavingWish }> {
  const at = await mkdtemp(join(tmpdir(), "leaving-"));
  folders.push(at);
  for (const folder of ["home/attachments/ab", "home/logs", "home/memories", "person/.ssh", "work"]) {
    await mkdir(join(at, folder), { recursive: true });
  }
  for (const file of [
    "home/.env",
    "home/state.db",
    "home/config.yaml",
    "home/logs/gateway.log",
    "home/memories/owner.md",
    "home/attachments/ab/photo.png",
    "person/.ssh/id_ed25519",
    "person/notes.txt",
    "work/plot.png",
  ]) {
    await writeFile(join(at, file), file);
  }
  const home = { root: join(at, "home"), attachments: join(at, "home/attachments") };
  return { at, wish: { home, cwd: join(at, "work"), personHome: join(at, "person") } };
}

describe("files that a reply names", () => {
  it.each(["work/plot.png", "person/notes.txt", "home/attachments/ab/photo.png"])("lets %s go", async (file) => {
    const { at, wish } = await machine();
    expect(await judgeLeaving(join(at, file), wish)).toEqual({ kind: "may-leave", path: join(at, file) });
  });

  it.each([
    "home/.env",
    "home/state.db",
    "home/config.yaml",
    "home/logs/gateway.log",
    "home/memories/owner.md",
    "home/attachments/../.env",
    "person/.ssh/id_ed25519",
    "/etc/shadow",
    "/proc/self/environ",
    "/dev/zero",
  ])("[AP-21] [AP-22] keeps %s here", async (file) => {
    const { at, wish } = await machine();
    const path = file.startsWith("/") ? file : `${at}/${file}`;
    expect(await judgeLeaving(path, wish)).toMatchObject({ kind: "stays" });
  });

  it("[AP-21] follows links, of both kinds, before it judges", async () => {
    const { at, wish } = await machine();
    await symlink(join(at, "home/.env"), join(at, "work/soft.txt"));
    await link(join(at, "home/.env"), join(at, "work/hard.txt"));
    expect(await judgeLeaving(join(at, "work/soft.txt"), wish)).toMatchObject({ kind: "stays" });
    expect(await judgeLeaving(join(at, "work/hard.txt"), wish)).toMatchObject({ kind: "stays" });
  });
});

/**
 * Whether anything of a process group still runs. A zombie has its number and answers signal 0 until somebody reads
 * its exit code, which in a container without an init may be never: it does not count.
 */
import { readdir, readFile } from "node:fs/promises";

/** More processes than this are not looked through: the group then counts as alive. */
const SCANNED_MAX = 20_000;

export async function hasSurvivors(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const pids = await numbersIn("/proc");
  if (pids === undefined || pids.length > SCANNED_MAX) return true;
  for (const pid of pids) if (await runsIn(pid, group)) return true;
  return false;
}

/** False when there is no such group any more. */
export function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch (error) {
    // EPERM: it is there and belongs to somebody else by now (sudo); it counts as alive.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Undefined where the system has no such folder. */
async function numbersIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).filter((name) => /^\d+$/.test(name));
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

async function runsIn(pid: string, group: number): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything, parentheses and spaces too.
    const [state, , its] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return Number(its) === group && state !== "Z" && state !== "X";
  } catch (error) {
    // It ended between the listing and the look.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

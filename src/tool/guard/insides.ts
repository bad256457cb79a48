/**
 * Windows into other processes. The environment and the memory of this program hold keys that commands are not given,
 * so that nobody reads them there: not by a number, not by a wildcard that stands for all of them.
 */
import { UNKNOWN } from "./fields.js";
import { type CommandPlaces, matchesName, pathOf, pathsOf } from "./vital.js";

const INSIDES = ["environ", "mem", "maps", "smaps", "smaps_rollup", "numa_maps", "pagemap", "auxv", "map_files"];
const INSIDE_NAME = new RegExp(`(?:^|/)(?:${INSIDES.join("|")})$`);
const WILDCARD = /[*?[{]/;

/** `inside` for a process's environment or memory, `process` for anything of processes picked by a wildcard. */
export function processNamed(word: string, places: CommandPlaces): "inside" | "process" | undefined {
  // `/proc/$a/../$b`: a part that nobody knows is still a part.
  const parts = pathOf(word.replaceAll(UNKNOWN, "?"), places) ?? "";
  const found = [parts, ...pathsOf(word, places)].map(processAt);
  return found.find((one) => one === "inside") ?? found.find((one) => one !== undefined);
}

function processAt(path: string): "inside" | "process" | undefined {
  const [first = "", process = "", ...below] = path.split("/").slice(1);
  if (!matchesName(first, "proc") || process === "") return undefined;
  // What is left of `/proc/$pid/environ`, and of a folder that nobody knows.
  if (below.length === 0 && INSIDES.includes(process)) return "inside";
  // One's own is the command's, and holds what it was given.
  if (process === "self" || process === "thread-self") return undefined;
  const last = below.at(-1);
  if (last !== undefined && INSIDES.some((name) => matchesName(last, name) || below.includes(name))) return "inside";
  return WILDCARD.test(process) || WILDCARD.test(first) ? "process" : undefined;
}

/** A word of which only the end is known, and that looks like the inside of a process. */
export function mayBeInside(word: string, { cwd }: CommandPlaces): boolean {
  return INSIDE_NAME.test(word) && (word.startsWith(UNKNOWN) || (cwd.includes(UNKNOWN) && !word.startsWith("/")));
}

/** Whether all of `/proc`, or of one process in it, is meant. */
export function isProcessFolder(word: string, places: CommandPlaces): boolean {
  return pathsOf(word, places).some((path) => /^\/proc(?:\/(?:\d|[^/]*[*?[{])[^/]*(?:\/.*)?)?$/.test(path));
}

/** `find … -name environ`. */
export function looksForInside(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    const isName = /^-(?:i?name|i?path|i?wholename|i?regex)$/.test(args[index - 1] ?? "");
    const [last = ""] = /[^/]*$/.exec(arg) ?? [];
    return isName && INSIDES.some((name) => arg.includes(name) || matchesName(last.toLowerCase(), name));
  });
}

const DEBUGGERS =
  /^(?:gdb|gdbserver|lldb|strace|ltrace|gcore|pstack|eu-stack|perf|bpftrace|py-spy|rbspy|dlv|reptyr|criu|jstack|jmap|pargs|procstat|ptrace|trace-cmd|frida)$/;
const ATTACHES = /^(?:-[A-Za-z]*p\d*|--(?:pid|attach|attach-pid)(?:=.*)?|attach|dump|\d+)$/;

/** A debugger that is put on a process which runs already, or a list of processes with what is in their environment. */
export function looksIntoProcess(words: readonly string[]): boolean {
  const names = words.map((word) => word.slice(word.lastIndexOf("/") + 1));
  const debugger_ = names.findIndex((name) => DEBUGGERS.test(name));
  if (debugger_ >= 0 && words.slice(debugger_ + 1).some((word) => ATTACHES.test(word) || /^\s*attach\s/.test(word)))
    return true;
  const node = names.indexOf("node");
  if (node >= 0 && names[node + 1] === "inspect" && words.slice(node).some((word) => /^-p/.test(word))) return true;
  const ps = names.indexOf("ps");
  return ps >= 0 && showsEnvironment(words.slice(ps + 1));
}

const VALUED = /^(?:-[A-Za-z]*[oOpCuUgGtsqk]|--[a-z]+|[A-Za-z]*[oOpUtkqN])$/;

/** An `e` without a dash; with one it means every process. */
function showsEnvironment(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    if (VALUED.test(args[index - 1] ?? "")) return /(?:^|,)environ/.test(arg);
    return /^[A-Za-z]*e[A-Za-z]*$/.test(arg) || /^-[A-Za-z]*E/.test(arg);
  });
}

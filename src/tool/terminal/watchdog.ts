/**
 * The end of commands whose host is gone. One small shell reads the process groups that live on its standard input;
 * when that ends (we exited, or were killed) it ends the groups it knows, politely first. No signal handler of ours
 * could do that after SIGKILL.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";

/** Somebody who ends the watchdog again and again wants no commands. */
const STARTS_MAX = 5;

export interface Watchdog {
  /** Resolves once the group is in the watchdog's hands; false when there is no watchdog to be had. */
  add(group: number): Promise<boolean>;
  remove(group: number): void;
  /** Ends the watchdog, and with it every group it still knows. */
  close(): void;
}

export function createWatchdog(): Watchdog {
  const groups = new Set<number>();
  let child: ChildProcess | undefined;
  let starts = 0;
  let isClosed = false;

  function tell(line: string): Promise<boolean> {
    const input = child?.stdin;
    if (!input?.writable) return Promise.resolve(false);
    return new Promise((resolve) => input.write(`${line}\n`, (error) => resolve(error == null)));
  }

  function start(): void {
    starts++;
    const started = spawnWatchdog();
    child = started;
    const lost = (): void => {
      if (child !== started) return;
      child = undefined;
      if (isClosed || groups.size === 0 || starts >= STARTS_MAX) return;
      start();
      for (const group of groups) void tell(`add ${group}`);
    };
    started.once("error", lost);
    started.once("exit", lost);
  }

  return {
    add(group) {
      if (isClosed) return Promise.resolve(false);
      if (child === undefined && starts < STARTS_MAX) start();
      groups.add(group);
      return tell(`add ${group}`);
    },
    remove(group) {
      if (groups.delete(group)) void tell(`del ${group}`);
    },
    close() {
      isClosed = true;
      child?.stdin?.end();
      child = undefined;
    },
  };
}

function spawnWatchdog(): ChildProcess {
  // Its own session, so that Ctrl-C and a closed terminal do not end it first; `/`, so that it holds no folder.
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  // It is gone; the exit event says the same and acts on it.
  child.stdin?.on("error", () => undefined);
  return child;
}

/** Half a second for the polite signal, looked at ten times, then the other one. `-s` is the only form every sh takes. */
const SCRIPT = `
trap '' HUP INT TERM PIPE
groups=""
while read -r verb group; do
  case "$verb" in
    add) groups="$groups $group" ;;
    del)
      rest=""
      for other in $groups; do [ "$other" = "$group" ] || rest="$rest $other"; done
      groups="$rest" ;;
  esac
done
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
round=0
while [ "$round" -lt 10 ]; do
  alive=""
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && alive=1; done
  [ -n "$alive" ] || exit 0
  sleep 0.05
  round=$((round + 1))
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/** What another process keeps to itself: its environment and its memory. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { findShell } from "../terminal/shell.js";
import { judgeCommand } from "./commands.js";

const places = { cwd: "/home/ada/work", personHome: "/home/ada", home: "/home/ada/.talaria", hostPid: 4711 };

function verdict(command: string): string {
  const guard = judgeCommand(command, places);
  return guard.kind === "ask" ? guard.grant : guard.kind;
}

/** Whether these really tell, on this machine, what another process was given. */
const REALLY_TELL = [
  "ps eww -p $PID",
  "ps -e e -ww",
  "ps axeww",
  "cat /proc/$PID/environ",
  "cat /proc/[0-9]*/environ 2>/dev/null",
  "cd /proc; cat */environ 2>/dev/null",
  "for p in /proc/[0-9]*; do cat $p/environ 2>/dev/null; done",
  "find /proc -maxdepth 2 -name environ -exec cat {} + 2>/dev/null",
  'python3 -c \'import os; print(open(os.path.join("/proc", os.environ["PID"], "environ")).read())\'',
];

describe.runIf(process.platform === "linux")("[AP-23] [AP-24] keys of a process that runs", () => {
  it("are not shown by what would show them", async () => {
    const secret = "KEY_5f0c1d=told";
    const other = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], KEY_5f0c1d: "told" }, stdio: "ignore" });
    await once(other, "spawn");
    try {
      for (const command of REALLY_TELL) {
        const env = { PATH: process.env["PATH"], PID: String(other.pid) };
        const printed = execFileSync(findShell(), ["-c", `${command}; true`], {
          env,
          encoding: "latin1",
          stdio: ["ignore", "pipe", "ignore"],
          maxBuffer: 1 << 26,
        });
        expect([command, printed.includes(secret)]).toEqual([command, true]);
        const expected = /^ps/.test(command) ? "terminal:debug-process" : "refuse";
        expect([command, verdict(command)]).toEqual([command, expected]);
      }
    } finally {
      other.kill("SIGKILL");
    }
  });
});

describe("[AP-23] the insides of other processes are not read", () => {
  it.each([
    "cat /proc/*/environ",
    "cat /proc/1/environ",
    "cat /proc/4711/mem",
    "cat /proc/4711/maps",
    "cat /proc/4711/task/4711/environ",
    "cat /proc/$PPID/environ",
    "cat /proc/$(pgrep node)/environ",
    "tr '\\0' '\\n' < /proc/$p/environ",
    "cat /proc/[0-9]*/env*",
    "strings /proc/*/*",
    "cat /pro?/1/environ",
    "cat /proc/{1,2}/environ",
    "cat //proc/./1/environ",
    "cat /proc/self/../1/environ",
    "cat /proc/$$/../$PPID/environ",
    "cd /proc/$PPID && cat environ",
    "cd /proc; cat */environ",
    "p=$(ls -d /proc/[0-9]*); for x in $p; do cat $x/environ; done",
    "ls -d /proc/* | while read p; do cat $p/environ; done",
    "ls /proc | xargs -I{} cat /proc/{}/environ",
    "find /proc -name environ",
    "find /proc -name 'env*' -exec cat {} +",
    "find /proc -type f | xargs grep KEY",
    "grep -r KEY /proc",
    "grep -ra KEY /proc/4711",
    "cp -r /proc/4711 x",
    "xxd /proc/4711/mem",
    "python3 -c 'import glob\nfor p in glob.glob(\"/proc/*/environ\"): print(open(p).read())'",
    'node -e \'fs.readFileSync("/proc/" + pid + "/environ")\'',
    "ln -s /proc/4711/environ x; cat x",
    "cat /proc/4711/root/proc/1/environ",
  ])("%s", (command) => expect(verdict(command)).toBe("refuse"));
});

describe("[AP-24] looking into processes is asked about", () => {
  it.each([
    ["ps eww", "debug-process"],
    ["ps -e e", "debug-process"],
    ["ps axe", "debug-process"],
    ["ps auxeww", "debug-process"],
    ["ps -p 4711 e", "debug-process"],
    ["ps -Eww", "debug-process"],
    ["ps -o pid,environ", "debug-process"],
    ["/bin/ps e", "debug-process"],
    ["gdb -p 4711", "debug-process"],
    ["gdb --pid=4711 -batch -ex bt", "debug-process"],
    ["gdb node 4711", "debug-process"],
    ["gdb -batch -ex 'attach 4711'", "debug-process"],
    ["lldb -p 4711", "debug-process"],
    ["strace -f -p 4711", "debug-process"],
    ["strace -p4711", "debug-process"],
    ["timeout 5 ltrace -p 4711", "debug-process"],
    ["gcore 4711", "debug-process"],
    ["node inspect -p 4711", "debug-process"],
    ["ls /proc/[0-9]*/fd", "debug-process"],
    ["cat $d/environ", "debug-process"],
    ["sudo strace -p 4711", "debug-process+elevate"],
  ])("%s → %s", (command, kinds) => expect(verdict(command)).toBe(`terminal:${kinds}`));
});

describe("ordinary looks at the machine run without a question", () => {
  it.each([
    "ps",
    "ps aux",
    "ps -ef",
    "ps -e -o pid,comm,etime",
    "ps -eo user,pid,time,command --sort=-pcpu",
    "ps axo pid,etime,comm",
    "ps aux | grep -v grep | grep node",
    "ps -p 123 -o stat=",
    "ps -C node",
    "ps -u ada",
    "ps --forest",
    "pgrep -fl vite",
    "top -b -n 1",
    "cat /proc/cpuinfo /proc/meminfo",
    "cat /proc/loadavg",
    "cat /proc/sys/fs/file-max",
    "gdb --version",
    "gdb -batch -ex run -ex bt ./prog",
    "strace -c ls",
    "cat environ",
    "cat config/maps",
    "env | sort",
    "printenv PATH",
  ])("%s", (command) => expect(verdict(command)).toBe("allow"));
});

/**
 * What a command really starts: `sudo -u www env A=1 nice -n 5 /bin/rm` starts `rm`. Each wrapper is a row of a table,
 * with the options that take a value and the words it wants before the command.
 */
import { UNKNOWN } from "./fields.js";

export interface Invocation {
  /** Without its folder, in lower case; UNKNOWN in it when nobody can tell. */
  readonly name: string;
  readonly args: readonly string[];
  /** As it is written: a wrapper may take a whole script as one word. */
  readonly written: string;
  /** Names of the wrappers around it. */
  readonly wrappers: readonly string[];
}

interface Wrapper {
  /** Options followed by a value. */
  readonly valued?: RegExp;
  /** Words before the command that are not options. */
  readonly words?: number;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: /^(?:-[A-Za-z]*[ugpCThrtUDR]|--(?:user|group|prompt|host|chdir|chroot|role|type|close-from))$/ },
  doas: { valued: /^-[uC]$/ },
  pkexec: { valued: /^--user$/ },
  env: { valued: /^(?:-[a-z]*[uC]|--(?:unset|chdir))$/ },
  command: {},
  builtin: {},
  exec: { valued: /^-a$/ },
  nohup: {},
  setsid: {},
  nice: { valued: /^(?:-n|--adjustment)$/ },
  ionice: { valued: /^-[cnp]$/ },
  chrt: { words: 1 },
  taskset: { words: 1 },
  time: { valued: /^-[fo]$/ },
  timeout: { valued: /^(?:-[sk]|--(?:signal|kill-after))$/, words: 1 },
  gtimeout: { valued: /^(?:-[sk]|--(?:signal|kill-after))$/, words: 1 },
  stdbuf: { valued: /^-[ioe]$/ },
  unbuffer: {},
  xargs: { valued: /^(?:-[IiLnPdaEs]|--(?:max-args|max-procs|max-lines|delimiter|arg-file|replace|eof|max-chars))$/ },
  parallel: { valued: /^(?:-[jNIa]|--jobs)$/ },
  watch: { valued: /^(?:-n|--interval)$/ },
  strace: { valued: /^-[eopsuEP]$/ },
  ltrace: { valued: /^-[eopsu]$/ },
  flock: { valued: /^(?:-[wE]|--timeout)$/, words: 1 },
  chroot: { valued: /^--(?:userspec|groups)$/, words: 1 },
  busybox: {},
  toybox: {},
  proot: { valued: /^-[rbw]$/ },
  catchsegv: {},
  caffeinate: { valued: /^-[tw]$/ },
  "systemd-run": { valued: /^(?:-[pEtu]|--(?:unit|property|setenv|uid|gid))$/ },
  torsocks: {},
  proxychains: {},
  winpty: {},
  direnv: { words: 1 },
  npx: { valued: /^(?:-p|--package)$/ },
  bunx: {},
  pnpx: {},
  uvx: {},
  setarch: {},
  // What setarch takes before its options is the name of an architecture, which is a command of its own.
  i486: {},
  i586: {},
  i686: {},
  aarch64: {},
  linux32: {},
  linux64: {},
  i386: {},
  x86_64: {},
  uname26: {},
  faketime: { valued: /^-p$/, words: 1 },
  "dbus-run-session": { valued: /^--(?:config-file|dbus-daemon)$/ },
  "dbus-launch": {},
  "xvfb-run": { valued: /^(?:-[efnpsw]|--(?:error-file|auth-file|server-num|xauth-protocol|server-args|wait))$/ },
  fakeroot: { valued: /^-[lis]$/ },
  eatmydata: {},
  rlwrap: {},
  valgrind: {},
  chronic: {},
  entr: {},
  "systemd-inhibit": {},
  // In texts of other programs: expect's and make's way to start something.
  spawn: {},
  shell: {},
  "{": {},
  "!": {},
};

/** The loader starts what it is given like a command. */
const LOADER = /^ld(?:-linux\S*|-musl\S*|64|-\d\S*)?\.so(?:\.\d+)*$|^ld-(?:linux|musl)\S*$/;
const BY_LOADER: Wrapper = { valued: /^--(?:library-path|preload|argv0|audit|inhibit-rpath|glibc-hwcaps-\w+)$/ };

const WRAPPED_MAX = 16;

export function unwrap(words: readonly string[]): Invocation {
  const wrappers: string[] = [];
  let rest = words;
  for (let round = 0; round < WRAPPED_MAX; round++) {
    const name = nameOf(rest[0] ?? "");
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : LOADER.test(name) ? BY_LOADER : undefined;
    const inner = wrapper === undefined ? undefined : innerOf(rest, wrapper);
    if (inner === undefined || inner.length === 0)
      return { name, written: rest[0] ?? "", args: rest.slice(1), wrappers };
    wrappers.push(name);
    rest = inner;
  }
  return { name: UNKNOWN, written: UNKNOWN, args: rest, wrappers };
}

function innerOf(words: readonly string[], wrapper: Wrapper): readonly string[] {
  let at = 1;
  let left = wrapper.words ?? 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") continue;
    if (word.startsWith("-") && word.length > 1) {
      if (wrapper.valued?.test(word)) at++;
    } else if (!/^[A-Za-z_][A-Za-z0-9_]*=/.test(word) && left-- <= 0) break;
  }
  return words.slice(at);
}

export function nameOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1).toLowerCase();
}

/** Where `env -C` and `sudo -D` start the command. */
export function startFolder(words: readonly string[], wrappers: readonly string[]): string | undefined {
  if (!wrappers.some((wrapper) => wrapper === "env" || wrapper === "sudo")) return undefined;
  const long = words.find((word) => word.startsWith("--chdir="));
  if (long !== undefined) return long.slice(long.indexOf("=") + 1);
  const at = words.findIndex((word) => /^(?:-C|-D|--chdir)$/.test(word));
  return at < 0 ? undefined : words[at + 1];
}

/** The arguments that are no options. */
export function operands(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  return [...before.filter((arg) => !/^-./.test(arg)), ...after];
}

/** Whether `-rf`, `-r` or `--recursive` is among the options: one of the letters, or one of the words in full or cut short. */
export function hasOption(args: readonly string[], letters: string, ...names: readonly string[]): boolean {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  return options.some((arg) => {
    if (/^-[^-]/.test(arg)) return [...letters].some((letter) => arg.includes(letter, 1));
    return (
      arg.startsWith("--") && arg.length > 3 && names.some((name) => `--${name}`.startsWith(arg.split("=")[0] ?? arg))
    );
  });
}

/**
 * Commands inside the arguments of other programs: `sqlite3 a.db '.shell …'`, `git bisect run …`, `tar --to-command=…`.
 * Each program is a row of a table that says where in its words, or in what it reads, such a text stands.
 */
import { type Invocation, nameOf, operands } from "./invocation.js";

export interface Embedded {
  /** Texts that a shell is given. */
  readonly scripts: readonly string[];
  /** Texts in a language of the program's own, with strings in them that may be commands. */
  readonly code?: readonly string[];
  /** Commands that are already words. */
  readonly commands?: readonly (readonly string[])[];
}

/** `texts` is what the program reads, as far as that is written down. */
export function embeddedIn({ name, args }: Invocation, texts: readonly string[]): Embedded {
  const rule = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return rule?.(args, texts) ?? NOTHING;
}

const NOTHING: Embedded = { scripts: [] };

type Rule = (args: readonly string[], texts: readonly string[]) => Embedded;

/** The values of an option, in the next word or behind a sign of equality. */
const valued =
  (option: RegExp, long: RegExp = NEVER): Rule =>
  (args) => ({ scripts: [...valuesAfter(args, option), ...valuesOf(args, long)] });

const NEVER = /^\b$/;
const TEXTS_MAX = 200;

function valuesAfter(args: readonly string[], option: RegExp): readonly string[] {
  return args.filter((_arg, index) => index > 0 && option.test(args[index - 1] ?? ""));
}

/** What stands behind the first match in each word. */
function valuesOf(args: readonly string[], option: RegExp): readonly string[] {
  return args.filter((arg) => option.test(arg)).map((arg) => arg.replace(option, ""));
}

function found(texts: readonly string[], pattern: RegExp): readonly string[] {
  return texts.flatMap((text) => [...text.matchAll(pattern)].slice(0, TEXTS_MAX).map(([, inner]) => inner ?? ""));
}

/** Words from the first one after `verb` that is no option; `isValued` says which options take the next word along. */
function wordsAfter(args: readonly string[], verb: RegExp, isValued: RegExp = NEVER): readonly string[] {
  const from = args.findIndex((arg) => verb.test(arg)) + 1;
  if (from === 0) return [];
  let at = from;
  for (; at < args.length && (args[at] ?? "").startsWith("-"); at++) {
    if (args[at] === "--") return args.slice(at + 1);
    if (isValued.test(args[at] ?? "")) at++;
  }
  return args.slice(at);
}

const SQLITE = /^[ \t]{0,16}\.(?:sh[a-z]{0,8}|sy[a-z]{0,8})[ \t]+(.*)$/gim;
const SQLITE_PIPES = /^[ \t]{0,16}\.(?:o[a-z]{0,8}|i[a-z]{0,8}|once|excel)[ \t]+["']?\|(.*)$/gim;
const CLIENT_SHELL = /(?:\\!|^[ \t]{0,16}system[ \t])[ \t]{0,16}([^\n]*)/gim;
const CLIENT_PROGRAM = /\bprogram[ \t]{1,16}'([^']*)'/gi;
const CLIENT_PIPES = /\\(?:o|g|copy[^\n|]{0,256})[ \t]{0,16}\|([^\n]*)/g;
const client: Rule = (args, texts) => ({
  scripts: [CLIENT_SHELL, CLIENT_PROGRAM, CLIENT_PIPES].flatMap((pattern) => found([...args, ...texts], pattern)),
});
const sqlite: Rule = (args, texts) => ({
  scripts: [SQLITE, SQLITE_PIPES].flatMap((pattern) => found([...args, ...texts], pattern)),
});

const editor: Rule = (args, texts) => {
  const told = [...valuesAfter(args, /^(?:-c|--cmd|-s|-S)$/), ...valuesOf(args, /^(?:\+|--cmd=)/), ...texts];
  return { scripts: found(told, /!([^\n]*)/g), code: told };
};

const git: Rule = (args) => ({
  scripts: [
    ...valuesAfter(args, /^(?:-x|--exec|--extcmd|--upload-pack|--receive-pack|--tree-filter|--index-filter)$/),
    ...valuesOf(args, /^(?:-x(?=.)|--(?:exec|extcmd|upload-pack|receive-pack)=|ext::)/),
    wordsAfter(args, /^foreach$/).join(" "),
  ],
  commands: args.includes("bisect") ? [wordsAfter(args, /^run$/)] : [],
});

/** `npm exec -- x`, `poetry run x`: the rest is a command. */
const runner =
  (verb: RegExp): Rule =>
  (args) => ({
    scripts: [...valuesAfter(args, /^(?:-c|--call|--run|--command)$/), ...valuesOf(args, /^--(?:call|run)=/)],
    commands: [wordsAfter(args, verb, /^(?:-p|--package|-n|--name|-w|--workspace|--prefix|--with|--python)$/)],
  });

const SED_EXECUTES = /(?:^|[;{}\n]|[0-9$/])[ \t]{0,16}e[ \t]+([^\n]*)/g;
const SED_FLAG = /^(?:.{0,64}[;{}\d$/ ])?s([^\w\s\\])[\s\S]*?\1([\s\S]*?)\1[gpiImM0-9]*e[gpiImMw0-9]*(?:[;}\s]|$)/;
const sed: Rule = (args) => ({
  scripts: [
    ...found(args, SED_EXECUTES),
    ...args.flatMap((arg) => SED_FLAG.exec(arg.slice(0, SED_CHARS_MAX))?.[2] ?? []),
  ],
});
const SED_CHARS_MAX = 2000;

const tar: Rule = (args) => ({
  scripts: [
    ...valuesOf(
      args,
      /^--(?:checkpoint-action=exec=|to-command=|use-compress-program=|info-script=|new-volume-script=|rsh-command=)/,
    ),
    ...valuesAfter(args, /^(?:--to-command|--use-compress-program|-[A-Za-z]*[IF]|--info-script|--rsh-command)$/),
    ...valuesOf(valuesAfter(args, /^--checkpoint-action$/), /^exec=/),
  ],
});

/** A makefile that is no file: what stands behind targets and tabs. */
const make: Rule = (args, texts) => {
  const isGiven = args.some((arg, index) => /^-[A-Za-z]*f$/.test(args[index - 1] ?? "") && /^-$|^\/dev\//.test(arg));
  const given = [...valuesAfter(args, /^(?:-E|--eval)$/), ...valuesOf(args, /^--eval=/), ...(isGiven ? texts : [])];
  return {
    scripts: given.flatMap((text) =>
      text.split("\n").map((line) => line.replace(/^[^\t:;]*:[^;]*;?|^\t/, "").replace(/^[\s@+-]+/, "")),
    ),
    code: given,
  };
};

const TMUX_VALUED = /^-[A-Za-z]*[snctFxyeT]$/;
const TMUX_RUNS = /^(?:new\S*|split\S*|respawn\S*|run\S*|if\S*|pipe\S*|send\S*|popup|display-popup|set-hook)$/;
const tmux: Rule = (args) => {
  const rest = wordsAfter(args, TMUX_RUNS, TMUX_VALUED);
  return { scripts: [rest.join(" "), ...rest] };
};
const screen: Rule = (args) => ({
  scripts: valuesAfter(args, /^stuff$/),
  commands: [wordsAfter(["screen", ...args], /^screen$/, /^-(?:[A-Za-z]*[Scehpst]|T)$/)],
});
const terminal: Rule = (args) => {
  const rest = wordsAfter(args, /^(?:-e|-x|--|--command|--execute)$/);
  return { scripts: rest.length === 1 ? rest : [], commands: [rest] };
};

/** What these evaluate is expanded once more: `unset 'a[$(…)]'` runs the substitution. */
const evaluated: Rule = (args) => ({
  scripts: args.filter((arg) => /\$\(|`|\$\{/.test(arg)).map((arg) => `: ${arg}`),
});
const completion: Rule = (args) => ({
  scripts: [...valuesAfter(args, /^-C$/), ...valuesAfter(args, /^-W$/).map((arg) => `: ${arg}`)],
});
const texts: Rule = (args) => ({ scripts: args });
const read: Rule = (_args, given) => ({ scripts: given });

const clients = { psql: client, mysql: client, mariadb: client, usql: client };
const sqlites = { sqlite3: sqlite, sqlite, duckdb: sqlite };
const editors = {
  vim: editor,
  vi: editor,
  nvim: editor,
  view: editor,
  ex: editor,
  ed: editor,
  gvim: editor,
  less: editor,
};
const terminals = { xterm: terminal, rxvt: terminal, konsole: terminal, alacritty: terminal, kitty: terminal };
const builtins = {
  let: evaluated,
  declare: evaluated,
  typeset: evaluated,
  local: evaluated,
  readonly: evaluated,
  export: evaluated,
  unset: evaluated,
  test: evaluated,
  "[": evaluated,
  "[[": evaluated,
  read: evaluated,
  getopts: evaluated,
  wait: evaluated,
  printf: (args: readonly string[], given: readonly string[]) =>
    args[0]?.startsWith("-v") ? evaluated(args, given) : NOTHING,
  mapfile: completion,
  readarray: completion,
  compgen: completion,
  complete: completion,
  bind: (args: readonly string[]) => ({ scripts: found(args, /:[ \t]{0,8}["']?([^"'\n]*)/g) }),
};
const runners = {
  npm: runner(/^(?:exec|x)$/),
  npx: runner(NEVER),
  pnpm: runner(/^(?:exec|dlx)$/),
  yarn: runner(/^(?:exec|dlx)$/),
  bun: runner(/^x$/),
  poetry: runner(/^run$/),
  uv: runner(/^run$/),
  pipenv: runner(/^run$/),
  conda: runner(/^run$/),
  bundle: runner(/^exec$/),
  mise: runner(/^(?:exec|x)$/),
  "nix-shell": runner(NEVER),
};

const PROGRAMS: Readonly<Record<string, Rule>> = {
  ...clients,
  ...sqlites,
  ...editors,
  ...terminals,
  ...builtins,
  ...runners,
  git,
  sed,
  gsed: sed,
  tar,
  make,
  gmake: make,
  tmux,
  screen,
  gdb: (args) => ({
    scripts: found(valuesAfter(args, /^-{1,2}i?ex|^--eval-command$/), /^\s*(?:shell\b|!)(.*)$/g),
    code: args,
  }),
  rsync: valued(/^(?:-[A-Za-z]*e|--rsh|--rsync-path)$/, /^--(?:rsh|rsync-path)=/),
  ssh: valued(NEVER, /^(?:-o)?(?:Proxy|Local|KnownHosts)Command[= ]/i),
  split: valued(/^--filter$/, /^--filter=/),
  sort: valued(/^--compress-program$/, /^--compress-program=/),
  man: valued(/^(?:-P|--pager)$/, /^--pager=/),
  nodemon: valued(/^(?:-x|--exec)$/, /^--exec=/),
  watchexec: (args) => ({ scripts: [], commands: [wordsAfter(["w", ...args], /^w$/, /^-(?:[ewi]|-\w+)$/)] }),
  concurrently: texts,
  hyperfine: texts,
  ":::": texts,
  at: read,
  batch: read,
};

const PRINTERS =
  /^(?:echo|printf|grep|egrep|rg|ag|man|which|type|whereis|apropos|git|ls|stat|file|cat|help|info|tldr|:)$/;
const DEADLY = /^(?:rm|chmod|chown|chgrp|shred|mkfs(?:\..*)?|shutdown|reboot|poweroff|halt|dd)$/;

/** A command at the end of the words of one that nobody knows: `somewrapper --its-option value rm -rf /`. */
export function behindUnknown({ name, args }: Invocation): readonly (readonly string[])[] {
  if (PRINTERS.test(name) || Object.hasOwn(PROGRAMS, name)) return [];
  const at = args.findIndex((arg) => DEADLY.test(nameOf(arg)));
  if (at < 0) return [];
  const rest = args.slice(at);
  return DEADLY.test(name) || operands(rest).length < 2 ? [] : [rest];
}

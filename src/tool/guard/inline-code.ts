/**
 * Code given on a command line to an interpreter. It is not understood, only looked at for what starts processes,
 * deletes files or hides text; the strings in it are handed back to be judged as commands.
 */
import type { Invocation } from "./invocation.js";

export interface InlineCode {
  readonly isDangerous: boolean;
  /** Whether something in it deletes, and in what. */
  readonly isDeleting: boolean;
  readonly isForkBomb: boolean;
  /** Whether it puts together the name of another process's environment or memory. */
  readonly looksInside: boolean;
  /** Paths that it may write to. */
  readonly written: readonly string[];
  readonly strings: readonly string[];
}

const LANGUAGES: readonly { readonly name: RegExp; readonly flag: RegExp; readonly danger: RegExp }[] = [
  {
    name: /^(?:python|pypy)[\d.]*$/,
    flag: /^-[A-Za-z]*c/,
    danger:
      /\b(?:os\.(?:system|popen|exec|spawn|remove|unlink|rmdir|removedirs|kill|fork)|subprocess|shutil|pty|__import__|importlib|ctypes|eval|exec|b64decode|fromhex|unlink|rmtree|socket)/,
  },
  {
    name: /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    flag: /^(?:-[a-z]*[ep]|--eval|--print|eval)(?:=|$)/,
    danger:
      /child_process|\b(?:rmSync|rmdirSync|unlinkSync|rimraf|spawn|execSync|execFile|eval|Function|fromCharCode|Deno\.(?:run|Command|remove)|Bun\.(?:spawn|\$))\b|\.(?:rm|rmdir|unlink|kill)\(|base64|process\.binding/,
  },
  {
    name: /^(?:perl|ruby|php|lua|luajit|osascript|tclsh|guile|rscript)[\d.]*$/,
    flag: /^-[A-Za-z0-9]*[eErn]$/,
    danger:
      /\b(?:system|exec|popen|open3|spawn|fork|unlink|rmtree|rm_rf|rmdir|remove_dir|FileUtils|File\.delete|shell_exec|passthru|proc_open|eval|decode_base64|pack|qx|do shell script|os\.execute|os\.remove)\b|`/,
  },
  {
    name: /^(?:g|m|n)?awk$/,
    flag: /./,
    danger: /\bsystem\s{0,8}\(|\|\s{0,8}["g]|\|&/,
  },
  {
    name: /^emacs$/,
    flag: /^--?eval/,
    danger: /shell-command|call-process|(?:make|start)-process|delete-(?:file|directory)/,
  },
];

const DELETING = /rmtree|rmSync|rmdirSync|unlink|remove|rimraf|rm_rf|FileUtils|\.rm\(|delete/i;
const FORKING = /\bfork\b.{0,64}\bwhile\b|\bwhile\b.{0,64}\bfork\b|\bfork\s{0,8}\|\s{0,8}fork/s;
const INSIDES = /["'/](?:environ|mem|maps|auxv)["'`]/;
const WRITING =
  /\bopen\s{0,4}\([^)]{0,300}["'](?:[wax][bt]?\+?|[rwa]\+?b?\+|>>?|\+<)["']|\bopen\b[^;\n]{0,100}["']\s{0,4}\+?>|\.open\s{0,4}\(\s{0,4}["'][wax]|write_?(?:text|bytes|file|lines)|append_?file|WriteStream|copy_?file|\bcp(?:Sync)?\(|\brename|\breplace\(|symlink|\blink(?:Sync)?\(|mkdir|makedirs|\btouch\b|\bchmod|\bchown|truncate|File\.(?:write|open)|IO\.write|file_put_contents|\bfopen|Bun\.write|Deno\.(?:write|copy|create)/i;
/** What awk prints into a file. */
const REDIRECTED = />{1,2}\s{0,8}"([^"]{1,1024})"/g;
const STRINGS_MAX = 200;

/** Undefined when this is no interpreter with code on its command line. */
export function inlineCode({ name, args }: Invocation): InlineCode | undefined {
  const language = LANGUAGES.find((one) => one.name.test(name));
  if (language === undefined || !args.some((arg) => language.flag.test(arg))) return undefined;
  return lookedAt(args.join("\n"), [language.danger]);
}

/** Code in a language that nobody has named: written to a program, or piped into it. */
export function codeIn(text: string): InlineCode {
  return lookedAt(
    text,
    LANGUAGES.map(({ danger }) => danger),
  );
}

function lookedAt(code: string, dangers: readonly RegExp[]): InlineCode {
  const strings = stringsIn(code);
  return {
    isDangerous: dangers.some((danger) => danger.test(code)),
    isDeleting: DELETING.test(code),
    isForkBomb: FORKING.test(code),
    looksInside: /\/proc\b/.test(code) && INSIDES.test(code.replaceAll("/proc/self/", "")),
    strings,
    written: [
      ...(WRITING.test(code) ? strings.map((text) => text.replace(/^[>+<|\s]+/, "")).filter(isPath) : []),
      ...[...code.matchAll(REDIRECTED)].map(([, path]) => path ?? ""),
    ],
  };
}

/** Code that is read from standard input or piped in is looked at in the same way. */
export function isInterpreter(name: string): boolean {
  return LANGUAGES.slice(0, 3).some((one) => one.name.test(name));
}

/** One slash alone is what paths are split at. */
function isPath(text: string): boolean {
  return /^(?:~?\/|\.\.?\/).*[^/\s]/.test(text) && !/\s/.test(text);
}

function stringsIn(code: string): readonly string[] {
  const strings: string[] = [];
  for (let at = 0; at < code.length && strings.length < STRINGS_MAX; at++) {
    const quote = code[at];
    if (quote !== '"' && quote !== "'" && quote !== "`") continue;
    let end = at + 1;
    while (end < code.length && code[end] !== quote) end += code[end] === "\\" ? 2 : 1;
    strings.push(code.slice(at + 1, end));
    at = end;
  }
  // ["rm", "-rf", "/"] is a command as well.
  return strings.length > 1 ? [...strings, strings.join(" ")] : strings;
}

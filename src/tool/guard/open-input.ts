/**
 * Programs that take what they read on standard input for commands. One that is left running with its input open is
 * asked about as a whole, since what is written to it later may be in a language that the judge does not speak.
 */
import { type Invocation, operands } from "./invocation.js";

export const SHELLS = /^(?:ba|z|da|k|mk|a|fi|rba|c|tc|pd|pw)?sh$|^-(?:ba|z)?sh$/;

const INTERPRETERS =
  /^(?:python|pypy|ipython|perl|ruby|php|lua|luajit|node|nodejs|deno|bun|irb|pry|ghci|r|julia|scala|ocaml|utop|erl|iex|racket|guile|sbcl|clisp|tclsh|expect|osascript|jshell|groovysh|swift|bpython|nu|xonsh|elvish)[\d.]*$/;
const CLIENTS = /^(?:psql|mysql|mariadb|sqlite3?|mongo|mongosh|redis-cli|duckdb|clickhouse-client|cqlsh|sqlcmd|usql)$/;
const ALWAYS =
  /^(?:ssh|telnet|ftp|sftp|gdb|lldb|ed|ex|vi|vim|nvim|emacs|script|screen|tmux|su|at|batch|crontab|nc|ncat|socat)$/;

/** Whether it would do what is written to it. */
export function readsCommands({ name, args, wrappers }: Invocation): boolean {
  const isShell = SHELLS.test(name);
  // `xargs -I{} sh -c {}` runs each line.
  if (wrappers.some((wrapper) => wrapper === "xargs" || wrapper === "parallel")) return isShell || readsCode(name);
  if (args.some((arg, index) => /^-[A-Za-z]*f$/.test(args[index - 1] ?? "") && isInput(arg))) return true;
  if (name === "source" || name === ".") return isInput(args[0]);
  if (isShell) return hasLetter(args, "is") || (!hasLetter(args, "c") && isInput(operands(args)[0]));
  if (readsCode(name)) return isOpenInterpreter(args);
  if (CLIENTS.test(name)) return !args.some((arg) => CLIENT_TEXT.test(arg)) && operands(args).length < 2;
  if (name === "docker" || name === "podman" || name === "kubectl") return hasLetter(args, "i", "interactive", "stdin");
  return ALWAYS.test(name);
}

const CLIENT_TEXT = /^(?:-[A-Za-z]*[ce]|-f|--(?:command|execute|eval|file|query)(?:=.*)?)$/;
const TALKS = /^(?:code|pdb|asyncio|ipython)$/i;

function readsCode(name: string): boolean {
  return INTERPRETERS.test(name);
}

function isOpenInterpreter(args: readonly string[]): boolean {
  if (hasLetter(args, "i", "interactive") || args[0] === "inspect") return true;
  const at = args.indexOf("-m");
  if (at >= 0) return TALKS.test(args[at + 1] ?? "");
  if (args.some((arg) => /^-[A-Za-z]*[ceEpr]$|^--(?:eval|print)|^--(?:version|help)$|^-[hvV]$/.test(arg))) return false;
  return isInput(operands(args)[0]) || operands(args)[0] === "repl";
}

function isInput(word: string | undefined): boolean {
  return word === undefined || /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/(?:self|thread-self)\/fd\/\d+)$/.test(word);
}

function hasLetter(args: readonly string[], letters: string, ...names: readonly string[]): boolean {
  return args.some(
    (arg) =>
      (/^-[A-Za-z]+$/.test(arg) && [...letters].some((one) => arg.includes(one))) || names.includes(arg.slice(2)),
  );
}

/**
 * The completion scripts. All three work alike: walk the words typed so far to find the command (its
 * place), then offer that place's subcommands, options and argument values. Words of the program's own
 * are fixed in the script; values only the program knows are asked for with `talaria __complete`.
 */
import { type CompletionOption, type CompletionPlace, type CompletionValue, valueFlags } from "./completion-tree.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, places: readonly CompletionPlace[]): string {
  return WRITERS[shell](places);
}

const WRITERS: Readonly<Record<Shell, (places: readonly CompletionPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function bashScript(places: readonly CompletionPlace[]): string {
  return `# bash completion for talaria; written by: talaria completion bash
_talaria_add() {
  local candidate
  while IFS= read -r candidate; do
    candidate="\${candidate%%$'\\t'*}"
    if [[ -n "$candidate" && "$candidate" == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$candidate")"); fi
  done <<< "$1"
}
_talaria() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="" place="" word args=0 at
  COMPREPLY=()
  if ((COMP_CWORD > 0)); then prev="\${COMP_WORDS[COMP_CWORD - 1]}"; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$word" in
      ${valueFlags(places).join("|")}) ((at++)); continue ;;
      -*) continue ;;
    esac
    case "$place/$word" in
${placeCases(places)}
      *) args=$((args + 1)) ;;
    esac
  done
  case "$place:$prev" in
${optionCases(places, bashValue)}
  esac
  case "$place" in
${places.map((place) => `    ${quoted(place.path)})\n${indent(bashPlace(place), 6)}\n      ;;`).join("\n")}
  esac
}
complete -F _talaria talaria
`;
}

function bashPlace({ commands, options, arguments: values }: CompletionPlace): string {
  const flags = options.flatMap((option) => option.flags).join("\\n");
  const lines = [`if [[ "$cur" == -* ]]; then _talaria_add $'${flags}'; return; fi`];
  // A subcommand comes right after its command, never after another word.
  const names = commands.map(({ name }) => name).join("\\n");
  if (commands.length > 0) lines.push(`if ((args == 0)); then _talaria_add $'${names}'; fi`);
  if (values.length > 0)
    lines.push(`case "$args" in`, ...values.map((value, at) => `  ${at}) ${bashValue(value)} ;;`), "esac");
  return lines.join("\n");
}

function bashValue(value: CompletionValue): string {
  switch (value.kind) {
    case "choices":
      return `_talaria_add $'${value.choices.join("\\n")}'`;
    case "asked":
      return `_talaria_add "$("\${COMP_WORDS[0]}" __complete ${value.name} "$cur" 2>/dev/null)"`;
    case "folder":
      return `_talaria_add "$(compgen -d -- "$cur")"`;
    case "file":
      return `_talaria_add "$(compgen -f -- "$cur")"`;
    case "free":
      return ":";
  }
}

function zshScript(places: readonly CompletionPlace[]): string {
  return `#compdef talaria
# zsh completion for talaria; written by: talaria completion zsh
_talaria_ask() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete "$1" "$PREFIX" 2>/dev/null)}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe "$1" found
}
_talaria() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT - 1]}" place="" word
  local -i args=0 at
  local -a commands options
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    case "$word" in
      ${valueFlags(places).join("|")}) ((at++)); continue ;;
      -*) continue ;;
    esac
    case "$place/$word" in
${placeCases(places)}
      *) ((args++)) ;;
    esac
  done
  case "$place:$prev" in
${optionCases(places, zshValue)}
  esac
  case "$place" in
${places.map((place) => `    ${quoted(place.path)})\n${indent(zshPlace(place), 6)}\n      ;;`).join("\n")}
  esac
}
if [[ "$funcstack[1]" == _talaria ]]; then _talaria "$@"; else compdef _talaria talaria; fi
`;
}

function zshPlace({ commands, options, arguments: values }: CompletionPlace): string {
  const describe = (name: string, text: string): string => quoted(`${name}:${text.replaceAll(":", "\\:")}`);
  const flags = options.flatMap((option) => option.flags.map((flag) => describe(flag, option.description)));
  const lines = [`options=(${flags.join(" ")})`, `if [[ "$cur" == -* ]]; then _describe option options; return; fi`];
  if (commands.length > 0) {
    lines.push(
      `commands=(${commands.map(({ name, summary }) => describe(name, summary)).join(" ")})`,
      "if ((args == 0)); then _describe command commands; fi",
    );
  }
  if (values.length > 0)
    lines.push(`case "$args" in`, ...values.map((value, at) => `  ${at}) ${zshValue(value)} ;;`), "esac");
  return lines.join("\n");
}

function zshValue(value: CompletionValue): string {
  switch (value.kind) {
    case "choices":
      return `compadd -- ${value.choices.map(quoted).join(" ")}`;
    case "asked":
      return `_talaria_ask ${value.name}`;
    case "folder":
      return "_files -/";
    case "file":
      return "_files";
    case "free":
      return ":";
  }
}

function fishScript(places: readonly CompletionPlace[]): string {
  return `# fish completion for talaria; written by: talaria completion fish
function __talaria_at
    set -l place ''
    set -l args 0
    set -l skip 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch $word
            case ${valueFlags(places).join(" ")}
                set skip 1
            case '-*'
            case '*'
                switch "$place/$word"
${fishPlaces(places)}
                    case '*'
                        set args (math $args + 1)
                end
        end
    end
    test "$place" = "$argv[1]"; and begin
        not set -q argv[2]; or test "$args" = "$argv[2]"
    end
end
complete -c talaria -f
${places.flatMap(fishLines).join("\n")}
`;
}

function fishPlaces(places: readonly CompletionPlace[]): string {
  return steps(places)
    .map(([from, to]) => `                    case ${quoted(from)}\n                        set place ${quoted(to)}`)
    .join("\n");
}

function fishLines({ path, commands, options, arguments: values }: CompletionPlace): string[] {
  const at = (args?: number): string =>
    `complete -c talaria -n ${quoted(`__talaria_at "${path}"${args === undefined ? "" : ` ${args}`}`)}`;
  return [
    ...commands.map(({ name, summary }) => `${at(0)} -a ${name} -d ${quoted(summary)}`),
    ...options.map((option) => `${at()} ${fishFlags(option)} -d ${quoted(option.description)}`),
    ...values.flatMap((value, args) => (value.kind === "free" ? [] : [`${at(args)} ${fishValue(value)}`])),
  ];
}

function fishFlags({ flags, value }: CompletionOption): string {
  const named = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(" ");
  if (value === undefined) return named;
  // -x keeps file names out; only a file's own list wants them.
  return `${named} ${value.kind === "file" ? "-r" : "-x"} ${fishValue(value)}`.trimEnd();
}

function fishValue(value: CompletionValue): string {
  switch (value.kind) {
    case "choices":
      return `-a ${quoted(value.choices.join(" "))}`;
    case "asked":
      return `-a ${quoted(`(talaria __complete ${value.name} (commandline -ct) 2>/dev/null)`)}`;
    case "folder":
      return "-a '(__fish_complete_directories)'";
    case "file":
      return "-F";
    case "free":
      return "";
  }
}

/** From `place/word` to the place it leads to. */
function steps(places: readonly CompletionPlace[]): [from: string, to: string][] {
  return places
    .filter(({ path }) => path !== "")
    .map(({ path }) => [
      `${path.includes(" ") ? path.slice(0, path.lastIndexOf(" ")) : ""}/${path.split(" ").at(-1)}`,
      path,
    ]);
}

function placeCases(places: readonly CompletionPlace[]): string {
  return steps(places)
    .map(([from, to]) => `      ${quoted(from)}) place=${quoted(to)} ;;`)
    .join("\n");
}

function optionCases(places: readonly CompletionPlace[], write: (value: CompletionValue) => string): string {
  return places
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, value }) =>
        value === undefined
          ? []
          : [`    ${flags.map((flag) => quoted(`${path}:${flag}`)).join("|")}) ${write(value)}; return ;;`],
      ),
    )
    .join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function indent(text: string, spaces: number): string {
  return text.replace(/^/gm, " ".repeat(spaces));
}

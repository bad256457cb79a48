/** Colours, few and optional: everything reads the same without them. */

export interface Paint {
  readonly enabled: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

export function createPaint(enabled: boolean): Paint {
  const style = (open: number, close: number) => (text: string) =>
    enabled && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    enabled,
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    yellow: style(33, 39),
    green: style(32, 39),
  };
}

export type ColorSetting = "auto" | "always" | "never";

/** `--no-color` and NO_COLOR say no whatever the setting; `auto` means a terminal that is not dumb. */
export function wantsColor(
  setting: ColorSetting,
  { flag, env, isTerminal }: { readonly flag: boolean; readonly env: NodeJS.ProcessEnv; readonly isTerminal: boolean },
): boolean {
  if (!flag || setting === "never" || (env["NO_COLOR"] ?? "") !== "") return false;
  return setting === "always" || (isTerminal && env["TERM"] !== "dumb");
}

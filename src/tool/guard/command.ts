/** What reading a shell text tells: its commands, and whether all of it could be read. */

export interface Redirect {
  readonly operator: string;
  readonly target: string;
}

export interface Command {
  /** Name and arguments; empty for a bare redirection. */
  readonly words: readonly string[];
  readonly redirects: readonly Redirect[];
  /** Reads what another command prints. */
  readonly isPiped: boolean;
  readonly isBackground: boolean;
  /** Commands of one pipeline share the number. */
  readonly pipeline: number;
  /** A here-document or here-string. */
  readonly input: string | undefined;
  /** The function in whose body it stands. */
  readonly inside: string | undefined;
  /** A part of a condition between `[[` and `]]`. */
  readonly isInTest: boolean;
}

export interface Script {
  readonly commands: readonly Command[];
  readonly isUnclear: boolean;
  /** Whether it sets variables: where, and whether it gets there, only running it would tell. */
  readonly hasAssigned: boolean;
  /** Texts with a substitution in quotes that the shell may still expand: `a['$(…)']`, or a value it counts with. */
  readonly quoted: readonly string[];
}

/** Variables by name; several values when a loop goes through them. */
export type Variables = Map<string, readonly string[]>;

export interface ParseOptions {
  /** The first command reads what another one prints. */
  readonly isPiped?: boolean;
  /** Whether what the text sets is put in where it is used. */
  readonly isFollowing?: boolean;
}

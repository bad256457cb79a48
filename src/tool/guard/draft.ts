/** A command while it is read, before all of its words are known. */

import type { Redirect } from "./command.js";

export interface Draft {
  words: string[];
  redirects: Redirect[];
  isPiped: boolean;
  input: string | undefined;
  /** Between `[[` and `]]` the signs < and > compare. */
  isTest: boolean;
  /** What follows && or || between them is no command. */
  isInTest: boolean;
  hasAssigned: boolean;
  /** After `coproc` comes a command, or a name and then a compound command. */
  isCoprocess: boolean;
}

export interface HereDocument {
  readonly draft: Draft;
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly isIndented: boolean;
}

const TIMES_MAX = 16;

/** What follows `time` is a whole pipeline, with all that may begin one. */
export function isTiming(words: readonly string[]): boolean {
  return words[0] === "time" && words.length <= TIMES_MAX && words.every((word) => word === "time" || word === "-p");
}

/** Several inputs are for several descriptors; who reads which is not told apart. */
export function added(input: string | undefined, text: string): string {
  return input === undefined ? text : `${input}\n${text}`;
}

export function newDraft(isPiped: boolean): Draft {
  return {
    words: [],
    redirects: [],
    isPiped,
    input: undefined,
    isTest: false,
    isInTest: false,
    hasAssigned: false,
    isCoprocess: false,
  };
}

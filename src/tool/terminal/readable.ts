/**
 * What a command printed, as lines somebody can read: colours and cursor movements gone, a progress bar reduced to
 * its last state, control characters made visible. Works on a stream: a sequence may be cut anywhere.
 */

/** An unfinished line longer than this is passed on; a carriage return cannot take it back any more. */
export const LINE_CHARS_MAX = 16_384;
/** A window title or a link that does not end is no longer taken for one. */
const SEQUENCE_CHARS_MAX = 4096;

export interface Readable {
  /** Text that is finished and will not change. */
  add(text: string): string;
  /** The line that is being written. */
  pending(): string;
  /** What is left when nothing more comes. */
  end(): string;
}

type Mode = "text" | "escape" | "control" | "string" | "string-escape";

export function createReadable(): Readable {
  let line = "";
  let mode: Mode = "text";
  let sequenceChars = 0;
  let isReturned = false;
  let done = "";

  function write(char: string): void {
    if (isReturned) {
      isReturned = false;
      if (char !== "\n") line = "";
    }
    if (char === "\n") {
      done += `${line}\n`;
      line = "";
    } else if (char === "\r") isReturned = true;
    else if (char === "\b") line = line.slice(0, -1);
    else line += visible(char);
    if (line.length > LINE_CHARS_MAX) {
      done += line;
      line = "";
    }
  }

  function step(char: string): void {
    if (mode === "text") {
      if (char === "\u001b") mode = "escape";
      else if (char === "\u009b") mode = "control";
      else write(char);
      sequenceChars = 0;
      return;
    }
    mode = ++sequenceChars > SEQUENCE_CHARS_MAX ? "text" : afterSequence(mode, char);
  }

  return {
    add(text) {
      done = "";
      if (mode === "text" && !isReturned && !UNUSUAL.test(text)) plain(text);
      else for (const char of text) step(char);
      return done;
    },
    pending: () => line,
    end() {
      const rest = line;
      line = "";
      return rest;
    },
  };

  /** Most output has nothing to clean; it need not be looked at character by character. */
  function plain(text: string): void {
    const newline = text.lastIndexOf("\n");
    if (newline >= 0) {
      done = line + text.slice(0, newline + 1);
      line = "";
    }
    line += text.slice(newline + 1);
    if (line.length > LINE_CHARS_MAX) {
      done += line;
      line = "";
    }
  }
}

const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

function afterSequence(mode: Mode, char: string): Mode {
  switch (mode) {
    case "escape":
      if (char === "[") return "control";
      // Operating system command, device control, privacy message, application command: all end with BEL or ESC \.
      if (char === "]" || char === "P" || char === "^" || char === "_" || char === "X") return "string";
      // ESC ( B and the like: one more character names the set.
      return char >= " " && char <= "/" ? "escape" : "text";
    case "control":
      return char >= "@" && char <= "~" ? "text" : "control";
    case "string":
      if (char === "\u0007") return "text";
      return char === "\u001b" ? "string-escape" : "string";
    case "string-escape":
      return char === "\\" ? "text" : afterSequence("escape", char);
    case "text":
      return "text";
  }
}

/** NUL becomes ␀ and so on: seen, and harmless to a terminal. */
function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === "\t" || (code >= 0x20 && code < 0x7f) || code > 0x9f) return char;
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\ufffd";
}

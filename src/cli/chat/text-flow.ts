/**
 * The model's text on a terminal while it comes. Keeps the cursor's place in mind, so that other lines never stand
 * in the middle of a sentence, and remembers what was shown, so that a settled answer is not printed twice.
 */
import { visibleLines } from "#base/text-width.js";

/** Segments remembered; a turn of more steps would print its last answer again at worst. */
const SEGMENTS_MAX = 200;

export interface TextFlow {
  add(delta: string): void;
  /** The step is over: what follows is another text. */
  endSegment(): void;
  /** What was shown of the current step is void. True when something was shown. */
  retract(): boolean;
  /** Ends the line if the cursor stands in one. */
  endLine(): void;
  hasShown(text: string): boolean;
}

export function createTextFlow(write: (text: string) => void): TextFlow {
  let segment = "";
  let held = "";
  let isMidLine = false;
  const shown: string[] = [];
  const show = (text: string): void => {
    // Models like to begin with empty lines.
    const safe = segment.trim() === "" ? visibleLines(text).trimStart() : visibleLines(text);
    segment += text;
    if (safe === "") return;
    write(safe);
    isMidLine = !safe.endsWith("\n");
  };
  const flush = (): void => {
    const rest = held;
    held = "";
    if (rest !== "") show(rest);
  };
  const endLine = (): void => {
    flush();
    if (isMidLine) write("\n");
    isMidLine = false;
  };
  return {
    add(delta) {
      const text = held + delta;
      // Half a character, or half a line break, waits for its other half.
      const cut = /[\ud800-\udbff\r]$/.test(text) ? 1 : 0;
      held = text.slice(text.length - cut);
      if (text.length > cut) show(text.slice(0, text.length - cut));
    },
    endSegment() {
      endLine();
      if (segment.trim() !== "") shown.push(segment.trim());
      if (shown.length > SEGMENTS_MAX) shown.shift();
      segment = "";
    },
    retract() {
      endLine();
      const wasShown = segment.trim() !== "";
      segment = "";
      return wasShown;
    },
    endLine,
    hasShown: (text) => shown.includes(text.trim()) || (segment !== "" && segment.trim() === text.trim()),
  };
}

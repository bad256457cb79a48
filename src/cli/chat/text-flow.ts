/**
 * The model's text on a terminal while it comes. Keeps the cursor's place in mind, so that other lines never stand
 * in the middle of a sentence, and remembers what was shown, so that a settled answer is not printed twice.
 */
import { visibleLines } from "#base/text-width.js";
import { createWordWrap } from "./word-wrap.js";

/** Segments remembered; a turn of more steps would print its last answer again at worst. */
const SEGMENTS_MAX = 200;

/** Half a character, half a line break or half an escape sequence waits for its other half. */
const HALF = /(?:[\ud800-\udbff\r]|\u001b(?:\[[0-?]{0,64}[ -/]{0,8}|\][^\u0007\u001b]{0,512})?)$/;

export interface TextFlow {
  add(delta: string): void;
  /** The step is over: what follows is another text. */
  endSegment(): void;
  /** What was shown of the current step is void. True when something was shown. */
  retract(): boolean;
  /** Ends the line if the cursor stands in one. */
  endLine(): void;
  /** Ends the line for something else; a word that is not whole yet comes on the next one. */
  pause(): void;
  hasShown(text: string): boolean;
}

export function createTextFlow(write: (text: string) => void, columns: number): TextFlow {
  const wrap = createWordWrap(write, columns);
  let segment = "";
  let held = "";
  const shown: string[] = [];
  const show = (text: string): void => {
    // Models like to begin with empty lines.
    const safe = segment.trim() === "" ? visibleLines(text).trimStart() : visibleLines(text);
    segment += text;
    wrap.add(safe);
  };
  const endLine = (): void => {
    const rest = held;
    held = "";
    if (rest !== "") show(rest);
    wrap.endLine();
  };
  return {
    add(delta) {
      const text = held + delta;
      const whole = text.replace(HALF, "");
      held = text.slice(whole.length);
      if (whole !== "") show(whole);
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
    pause: wrap.pause,
    hasShown: (text) => shown.includes(text.trim()) || (segment !== "" && segment.trim() === text.trim()),
  };
}

/** The two streams a chat is shown on: answers on stdout, everything else on stderr. */
import type { Output } from "../output.js";
import { terminalColumns } from "../output.js";
import type { Paint } from "../paint.js";

export interface ChatSurface {
  /** stdout is a terminal: text is shown as it comes. Otherwise the settled answer is printed once. */
  readonly isTextLive: boolean;
  /** stderr is a terminal: a line may be drawn and wiped away. */
  readonly isStatusLive: boolean;
  readonly columns: number;
  /** For stderr. */
  readonly paint: Paint;
  writeText(text: string): void;
  writeAside(text: string): void;
}

export function processSurface(out: Output): ChatSurface {
  return {
    isTextLive: process.stdout.isTTY === true,
    isStatusLive: process.stderr.isTTY === true,
    columns: terminalColumns(process.stderr.columns),
    paint: out.errorPaint,
    writeText: (text) => void out.write(text),
    writeAside: (text) => void process.stderr.write(text),
  };
}

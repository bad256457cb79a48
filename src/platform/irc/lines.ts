/** A text as the lines of IRC that say it. */
import { plainText } from "../format-plain.js";
import { splitText } from "../split.js";
import { LINE_BYTES } from "./limits.js";

/** A line of the protocol with its end. */
const WIRE_BYTES = 512;
/** The longest host name that servers show. */
const HOST_BYTES = 63;
/** Of one send. The gateway sends single lines; a text that was not cut for us may have a few. */
export const LINES_MAX = 20;

export interface Speaker {
  readonly nick: string;
  readonly username: string;
}

/** At most LINES_MAX and one more, which says that there are too many. */
export function linesOf(text: string, target: string, speaker: Speaker): readonly string[] {
  const max = Math.min(LINE_BYTES, roomFor(target, speaker));
  return plainText(text.toWellFormed())
    .replace(/[\0\x01]/g, "")
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .flatMap((line) => (Buffer.byteLength(line) <= max ? [line] : cutLine(line, max)))
    .filter((line) => line.trim() !== "")
    .slice(0, LINES_MAX + 1);
}

/** What is left of a line that others see: the server puts our mask in front of it, and cuts what is too long. */
function roomFor(target: string, { nick, username }: Speaker): number {
  const mask = `:${nick}!~${username}@`;
  return WIRE_BYTES - Buffer.byteLength(`${mask} PRIVMSG ${target} :\r\n`) - HOST_BYTES;
}

function cutLine(line: string, max: number): readonly string[] {
  return splitText(line, { max, unit: "bytes", hasLines: false, partsMax: LINES_MAX + 1 });
}

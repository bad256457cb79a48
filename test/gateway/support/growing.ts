/** An answer that grows for a few seconds, waits for the test, then ends. */
import type { ScriptFunction } from "../../support/model-server/reply.js";
import { echo } from "./echo.js";

export const GROWING = "a reply that grows word by word ".repeat(8);

export const growing: ScriptFunction = async (seen, index) => {
  const { text = "" } = await echo(seen, index);
  return { text: `${GROWING}${text}`, pieceChars: 12, chunkDelayMs: 150, holdAfter: 20 };
};

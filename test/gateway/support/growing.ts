/** An answer that grows word by word until the test says go, then ends at once. */
import type { ScriptFunction } from "../../support/model-server/reply.js";
import { echo } from "./echo.js";

export const GROWING = "a reply that grows word by word ".repeat(8);

export const growing: ScriptFunction = async (seen, index) => {
  const { text = "" } = await echo(seen, index);
  return { text: `${GROWING}${text}`, pieceChars: 2, chunkDelayMs: 150, holdAfter: GROWING.length / 2 - 8 };
};

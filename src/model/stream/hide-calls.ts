/**
 * Takes the tool calls of a chat stream out of the package's sight. OpenRouter's package parses a call's arguments
 * again with every piece of them, which holds the whole process for seconds when a file is written, and turns what it
 * cannot parse into `{}`. We read the calls from the events ourselves; the package is spared them.
 */
import type { Fetch } from "./step-fetch.js";

/** The key that chat events have their calls under, and the one of the same length that nobody else looks for. */
export const CALLS_KEY = "tool_calls";
export const HIDDEN_CALLS_KEY = "tool_callz";

export function hidingCalls(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(renaming()), { status, statusText, headers });
  };
}

/** As it stands in JSON: inside a text the quotes would be escaped, so nothing but a key looks like this. */
const KEY = `"${CALLS_KEY}":`;
const HIDDEN = `"${HIDDEN_CALLS_KEY}":`;

/** Works on bytes (as Latin-1, one character each), so that no character of the answer can be hurt. */
function renaming(): TransformStream<Uint8Array, Uint8Array> {
  let held = "";
  return new TransformStream({
    transform(chunk, controller) {
      const text = held + Buffer.from(chunk).toString("latin1");
      // Only what may be the beginning of the key waits for the next chunk; an event's end never does.
      held = beginningOfKey(text);
      const ready = text.slice(0, text.length - held.length).replaceAll(KEY, HIDDEN);
      if (ready !== "") controller.enqueue(Buffer.from(ready, "latin1"));
    },
    flush(controller) {
      if (held !== "") controller.enqueue(Buffer.from(held, "latin1"));
    },
  });
}

function beginningOfKey(text: string): string {
  for (let length = Math.min(KEY.length - 1, text.length); length > 0; length--) {
    if (KEY.startsWith(text.slice(-length))) return text.slice(-length);
  }
  return "";
}

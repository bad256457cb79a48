/**
 * The raw limit of a turn: the same requests to the same server, their streams read and parsed, the files read, and
 * one durable commit for each step. No tools are described, nothing is checked, and no death is survived.
 */
import { readFile } from "node:fs/promises";
import type { RawStore } from "./raw.js";
import type { SentRequest } from "./turn-scene.js";

export interface RawTurn {
  /** All requests of the turn, from the call to the last parsed event. */
  readonly requestMs: number;
  readonly firstTextMs: number;
  /** With the commits and the files. */
  readonly totalMs: number;
}

export interface RawTools {
  readonly raw: RawStore;
  readonly conversation: number;
  /** Read between the first request and the second. */
  readonly files: readonly string[];
}

export async function rawTurn(sent: readonly SentRequest[], { raw, conversation, files }: RawTools): Promise<RawTurn> {
  const start = performance.now();
  let requestMs = 0;
  let firstTextMs = Number.NaN;
  for (const [at, request] of sent.entries()) {
    const asked = performance.now();
    const answer = await rawRequest(request);
    requestMs += performance.now() - asked;
    if (answer.firstTextMs !== undefined) firstTextMs = answer.firstTextMs - start;
    const isLast = at === sent.length - 1;
    const results = isLast ? [] : await Promise.all(files.map((file) => readFile(file, "utf8")));
    raw.append(conversation, "assistant", [answer.text, ...results].join("\n"));
  }
  return { requestMs, firstTextMs, totalMs: performance.now() - start };
}

interface RawAnswer {
  readonly text: string;
  /** When, not how long. */
  readonly firstTextMs: number | undefined;
}

export async function rawRequest({ url, init }: SentRequest): Promise<RawAnswer> {
  const { method, headers, body } = init;
  const response = await fetch(url, {
    method: method ?? "POST",
    ...(headers == null ? {} : { headers }),
    ...(body == null ? {} : { body }),
  });
  if (!response.ok || response.body === null) throw new Error(`the model server says ${response.status}`);
  const decoder = new TextDecoder();
  let buffered = "";
  let text = "";
  let firstTextMs: number | undefined;
  for await (const bytes of response.body) {
    buffered += decoder.decode(bytes as Uint8Array, { stream: true });
    const events = buffered.split("\n\n");
    buffered = events.pop() ?? "";
    for (const event of events) {
      const content = contentOf(event);
      if (content === "") continue;
      firstTextMs ??= performance.now();
      text += content;
    }
  }
  return { text, firstTextMs };
}

function contentOf(event: string): string {
  const data = event.slice("data: ".length);
  if (data === "[DONE]") return "";
  const { choices } = JSON.parse(data) as { choices: readonly { delta: { content?: string } }[] };
  return choices[0]?.delta.content ?? "";
}

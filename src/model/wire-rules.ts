/**
 * What a provider refuses, known before it is asked: one refused request repeated is a conversation that is dead for
 * good. Every request is checked; a violation is a mistake of ours and says where. Linear in the request's size.
 *
 * - [MD-9] A request without violations has no shape that the dialect's provider is known to refuse.
 */
import { parseArguments } from "./arguments.js";
import type { AssistantMessage, Dialect, ModelMessage, ModelRequest, ModelResult } from "./model.js";

/** A longer text or result is refused by some server on the way, whatever its tokens. */
export const WIRE_TEXT_CHARS_MAX = 2_000_000;
/** All texts of a request together: beyond it every provider says 413. */
export const WIRE_REQUEST_CHARS_MAX = 30_000_000;
export const WIRE_TOOLS_MAX = 128;
/** Only so many are told; the first is the one to look at. */
export const VIOLATIONS_MAX = 20;

const NAMES: Readonly<Record<Dialect, RegExp>> = {
  "openai-chat": /^[A-Za-z0-9_-]{1,64}$/,
  "openai-responses": /^[A-Za-z0-9_-]{1,64}$/,
  anthropic: /^[A-Za-z0-9_-]{1,128}$/,
  google: /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
};

/** Each as a sentence that names the place; empty when the request may be sent. */
export function violations(request: ModelRequest, dialect: Dialect): string[] {
  const found: string[] = [];
  const say: Say = (text) => {
    if (found.length < VIOLATIONS_MAX) found.push(text);
  };
  const { messages } = request;
  const known = knownBeginning(messages, dialect);
  checkSystem(request, say);
  checkTools(request, dialect, say);
  checkEnds(messages, dialect, say);
  // The last that is known may be answered by another message than before.
  for (let at = Math.max(0, known.count - 1); at < messages.length; at++) checkMessageAt(messages, at, dialect, say);
  const chars = known.chars + charsOfAll(messages.slice(known.count));
  if (chars + charsAround(request) > WIRE_REQUEST_CHARS_MAX)
    say(`the request is longer than ${WIRE_REQUEST_CHARS_MAX} characters`);
  const [first] = messages;
  if (found.length === 0 && first !== undefined) WITHOUT_FAULT[dialect].set(first, { messages, chars });
  return found;
}

interface Checked {
  readonly messages: readonly ModelMessage[];
  readonly chars: number;
}

/** The last request without a fault, by its first message: the next one begins with the same objects. */
const WITHOUT_FAULT: Readonly<Record<Dialect, WeakMap<ModelMessage, Checked>>> = {
  "openai-chat": new WeakMap(),
  "openai-responses": new WeakMap(),
  anthropic: new WeakMap(),
  google: new WeakMap(),
};

/** How many messages, and characters in them, were looked at before: a long history is read once, not at every step. */
function knownBeginning(messages: readonly ModelMessage[], dialect: Dialect): { count: number; chars: number } {
  const [first] = messages;
  const last = first === undefined ? undefined : WITHOUT_FAULT[dialect].get(first);
  if (last === undefined) return { count: 0, chars: 0 };
  let count = 0;
  while (count < last.messages.length && last.messages[count] === messages[count]) count++;
  return { count, chars: last.chars - charsOfAll(last.messages.slice(count)) };
}

type Say = (text: string) => void;

function checkSystem({ system }: ModelRequest, say: Say): void {
  for (const [at, { text }] of system.entries()) checkText(text, `system part ${at}`, say);
}

function checkTools({ tools }: ModelRequest, dialect: Dialect, say: Say): void {
  if (tools.length > WIRE_TOOLS_MAX) say(`${tools.length} tools, at most ${WIRE_TOOLS_MAX}`);
  const names = new Set<string>();
  for (const { name, description } of tools) {
    if (!NAMES[dialect].test(name)) say(`the tool name ${JSON.stringify(name)} is not allowed`);
    if (names.has(name)) say(`two tools are called ${name}`);
    names.add(name);
    checkText(description, `the description of ${name}`, say);
  }
}

function checkEnds(messages: readonly ModelMessage[], dialect: Dialect, say: Say): void {
  if (messages.length === 0) say("there is no message");
  else if (isStrict(dialect) && messages[0]?.role !== "user") say("the first message is not the user's");
  // An assistant at the end would be gone on with, not answered; some models refuse it.
  if (messages.at(-1)?.role === "assistant") say("the last message is the assistant's");
}

function isStrict(dialect: Dialect): boolean {
  return dialect === "anthropic" || dialect === "google";
}

function checkMessageAt(messages: readonly ModelMessage[], at: number, dialect: Dialect, say: Say): void {
  const message = messages[at];
  if (message === undefined) return;
  // Results count as the user's; two of them in a row are merged on the way, two of the assistant's are not.
  const isSecond = message.role === "assistant" && messages[at - 1]?.role === "assistant";
  if (isStrict(dialect) && isSecond) say(`message ${at}: two assistant messages in a row`);
  checkMessage(message, dialect, (text) => say(`message ${at}: ${text}`));
  checkAnswers(messages, at, say);
}

function checkMessage(message: ModelMessage, dialect: Dialect, say: Say): void {
  if (message.role === "tool") {
    if (message.results.length === 0) say("no result in it");
    for (const { text } of message.results) checkText(text, "a result", say);
    return;
  }
  checkText(message.text, "the text", say);
  const isBlank = message.text.trim() === "";
  if (message.role === "user") {
    if (isBlank) say("a blank text");
    return;
  }
  if (isBlank && message.calls.length === 0) say("an assistant without a word");
  checkCalls(message, dialect, say);
}

function checkCalls({ calls }: AssistantMessage, dialect: Dialect, say: Say): void {
  const ids = new Set<string>();
  for (const { id, name, arguments: text } of calls) {
    if (id === "") say("a call without an id");
    if (ids.has(id)) say(`two calls with the id ${id}`);
    ids.add(id);
    if (!NAMES[dialect].test(name)) say(`the call name ${JSON.stringify(name)} is not allowed`);
    checkText(text, `arguments of ${name}`, say);
    const input = parseArguments(text);
    if (input.kind === "malformed") say(`arguments of ${name}: ${input.reason}`);
    else if (text.trim() === "") say(`arguments of ${name} are empty`);
  }
}

/** Every call is answered in the very next message, once; every result answers a call of the message before. */
function checkAnswers(messages: readonly ModelMessage[], at: number, say: Say): void {
  const message = messages[at];
  if (message?.role === "assistant" && message.calls.length > 0) {
    const next = messages[at + 1];
    const answered = new Set(next?.role === "tool" ? next.results.map(({ id }) => id) : []);
    for (const { id } of message.calls)
      if (!answered.has(id)) say(`message ${at}: the call ${id} is not answered next`);
  }
  if (message?.role === "tool") {
    const before = messages[at - 1];
    checkResults(message.results, before?.role === "assistant" ? before : undefined, at, say);
  }
}

function checkResults(
  results: readonly ModelResult[],
  asking: AssistantMessage | undefined,
  at: number,
  say: Say,
): void {
  const asked = new Map(asking?.calls.map(({ id, name }) => [id, name]));
  const seen = new Set<string>();
  for (const { id, name } of results) {
    const expected = asked.get(id);
    if (expected === undefined) say(`message ${at}: a result for ${id}, which was not asked just before`);
    else if (expected !== name) say(`message ${at}: the result of ${id} is called ${name}, its call ${expected}`);
    if (seen.has(id)) say(`message ${at}: two results for ${id}`);
    seen.add(id);
  }
}

function checkText(text: string, where: string, say: Say): void {
  if (!text.isWellFormed()) say(`${where}: half a character`);
  if (text.includes("\0")) say(`${where}: a NUL character`);
  if (text.length > WIRE_TEXT_CHARS_MAX) say(`${where}: longer than ${WIRE_TEXT_CHARS_MAX} characters`);
}

function charsOfAll(messages: readonly ModelMessage[]): number {
  let chars = 0;
  for (const message of messages) {
    if (message.role === "tool") for (const { text } of message.results) chars += text.length;
    else chars += message.text.length;
    if (message.role === "assistant") for (const call of message.calls) chars += call.arguments.length;
  }
  return chars;
}

/** Everything that is said besides the messages. */
function charsAround({ system, tools }: ModelRequest): number {
  let chars = 0;
  for (const { text } of system) chars += text.length;
  for (const { name, description, schema } of tools) chars += name.length + description.length + schemaChars(schema);
  return chars;
}

function schemaChars(schema: object): number {
  const known = SCHEMA_CHARS.get(schema) ?? JSON.stringify(schema).length;
  SCHEMA_CHARS.set(schema, known);
  return known;
}

/** Schemas are the same objects in every request of a process. */
const SCHEMA_CHARS = new WeakMap<object, number>();

/**
 * What a request says, whichever dialect it is written in: the conversation as a flat list of what the person
 * said, what the model said and what tools answered.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Dialect } from "../../../src/model/model.js";

export interface SeenRequest {
  readonly dialect: Dialect;
  /** OpenRouter speaks OpenAI's chat dialect with its own shape of reasoning. */
  readonly isOpenRouter: boolean;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Json;
  readonly model: string;
  readonly system: string;
  readonly items: readonly SeenItem[];
  readonly tools: readonly string[];
}

export type SeenItem =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string; readonly calls: readonly string[] }
  | { readonly kind: "result"; readonly text: string };

export type Json = Readonly<Record<string, unknown>>;

/** The dialect a path belongs to; undefined: it asks for no stream. */
export function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith("/chat/completions")) return "openai-chat";
  if (path.endsWith("/responses")) return "openai-responses";
  if (path.endsWith("/messages")) return "anthropic";
  return path.includes(":streamGenerateContent") ? "google" : undefined;
}

export function readRequest(dialect: Dialect, path: string, headers: IncomingHttpHeaders, raw: Buffer): SeenRequest {
  const body = record(JSON.parse(raw.toString("utf8")));
  const { system, items } = readers[dialect](body);
  const model = typeof body["model"] === "string" ? body["model"] : (/models\/([^:]+):/.exec(path)?.[1] ?? "");
  const isOpenRouter = path.startsWith("/api/v1/");
  return { dialect, isOpenRouter, path, headers, raw, body, model, system, items, tools: toolNames(body) };
}

export function lastUserText(items: readonly SeenItem[]): string {
  return items.findLast((item) => item.kind === "user")?.text ?? "";
}

/** What came after the person's last message. */
export function sinceUser(items: readonly SeenItem[]): readonly SeenItem[] {
  return items.slice(items.findLastIndex((item) => item.kind === "user") + 1);
}

interface Conversation {
  readonly system: string;
  readonly items: readonly SeenItem[];
}

const readers: Record<Dialect, (body: Json) => Conversation> = {
  "openai-chat": (body) => {
    const messages = records(body["messages"]);
    return {
      system: joined(messages.filter(isSystem).map((message) => textOf(message["content"]))),
      items: messages.filter((message) => !isSystem(message)).map(chatItem),
    };
  },
  "openai-responses": (body) => {
    const input = records(body["input"]);
    const own = input.filter(isSystem).map((message) => textOf(message["content"]));
    return {
      system: joined([textOf(body["instructions"]), ...own]),
      items: input.filter((item) => !isSystem(item) && item["type"] !== "reasoning").map(responsesItem),
    };
  },
  anthropic: (body) => ({
    system: textOf(body["system"]),
    items: records(body["messages"]).flatMap(anthropicItems),
  }),
  google: (body) => ({
    system: textOf(record(body["systemInstruction"])["parts"]),
    items: records(body["contents"]).flatMap(googleItems),
  }),
};

function isSystem(message: Json): boolean {
  return message["role"] === "system" || message["role"] === "developer";
}

function chatItem(message: Json): SeenItem {
  const text = textOf(message["content"]);
  if (message["role"] === "tool") return { kind: "result", text };
  if (message["role"] !== "assistant") return { kind: "user", text };
  const calls = records(message["tool_calls"]).map((call) => String(record(call["function"])["name"]));
  return { kind: "assistant", text, calls };
}

function responsesItem(item: Json): SeenItem {
  if (item["type"] === "function_call_output") return { kind: "result", text: textOf(item["output"]) };
  if (item["type"] === "function_call") return { kind: "assistant", text: "", calls: [String(item["name"])] };
  const text = textOf(item["content"]);
  return item["role"] === "assistant" ? { kind: "assistant", text, calls: [] } : { kind: "user", text };
}

/** One message of this dialect may hold several results and what the person said after them. */
function anthropicItems(message: Json): SeenItem[] {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : records(content);
  if (message["role"] === "assistant") {
    const calls = blocks.filter((block) => block["type"] === "tool_use").map((block) => String(block["name"]));
    return [{ kind: "assistant", text: textOf(blocks.filter((block) => block["type"] === "text")), calls }];
  }
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const said = blocks.filter((block) => block["type"] !== "tool_result");
  return [
    ...results.map((block) => ({ kind: "result", text: textOf(block["content"]) }) as const),
    ...(said.length > 0 ? [{ kind: "user", text: textOf(said) } as const] : []),
  ];
}

function googleItems(content: Json): SeenItem[] {
  const parts = records(content["parts"]);
  const said = parts.filter((part) => typeof part["text"] === "string" && part["thought"] !== true);
  if (content["role"] === "model") {
    const calls = parts.flatMap((part) => (part["functionCall"] ? [String(record(part["functionCall"])["name"])] : []));
    return [{ kind: "assistant", text: textOf(said), calls }];
  }
  const results = parts.filter((part) => part["functionResponse"] !== undefined);
  return [
    ...results.map((part) => ({ kind: "result", text: JSON.stringify(part["functionResponse"]) }) as const),
    ...(said.length > 0 ? [{ kind: "user", text: textOf(said) } as const] : []),
  ];
}

function toolNames(body: Json): string[] {
  return records(body["tools"]).flatMap((tool) => {
    const declared = records(tool["functionDeclarations"]);
    if (declared.length > 0) return declared.map((one) => String(one["name"]));
    return [String(record(tool["function"])["name"] ?? tool["name"])];
  });
}

/** Text in any of the places where dialects put it. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return joined(records(content).map((part) => (typeof part["text"] === "string" ? part["text"] : "")));
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

export function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

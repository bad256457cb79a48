/**
 * From our request to the call of a provider's package. A pure function: the same request gives the same bytes, and
 * a longer history only adds to them, so that a provider's prompt cache holds [MD-8].
 */
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { Dialect, ModelMessage, ModelRequest, ProviderName, SystemPart } from "../model.js";
import { assistantContent } from "./sdk-assistant.js";
import { cacheMark, markMessages, marksCache } from "./sdk-cache.js";
import { wireId } from "./wire-id.js";

/** What of a model decides how a request is written. */
export interface PromptTarget {
  readonly provider: ProviderName;
  readonly name: string;
  readonly dialect: Dialect;
  readonly outputTokensMax: number;
}

export function toCallOptions(request: ModelRequest, target: PromptTarget): LanguageModelV3CallOptions {
  const outputTokensMax =
    request.outputTokensMax ?? (target.dialect === "anthropic" ? target.outputTokensMax : undefined);
  const providerOptions = optionsOf(target);
  return {
    prompt: [...systemMessages(request.system, target), ...messagesOf(request.messages, target)],
    ...(outputTokensMax === undefined ? {} : { maxOutputTokens: outputTokensMax }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.tools.length === 0
      ? {}
      : { tools: toolsOf(request, target), toolChoice: { type: request.toolChoice } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

/** Anthropic takes the parts apart, with the cache's marks; everybody else one text, since many templates allow only one. */
function systemMessages(parts: readonly SystemPart[], target: PromptTarget): LanguageModelV3Message[] {
  const filled = parts.filter(({ text }) => text.trim() !== "");
  if (filled.length === 0) return [];
  if (!marksCache(target)) return [{ role: "system", content: textOf(filled) }];
  const lastStable = filled.findLastIndex(({ isStable }) => isStable);
  const groups = [filled.slice(0, lastStable + 1), filled.slice(lastStable + 1)].filter(({ length }) => length > 0);
  return groups.map((group, at) => ({
    role: "system",
    content: textOf(group),
    ...(at === 0 && lastStable >= 0 ? { providerOptions: cacheMark(target) } : {}),
  }));
}

function textOf(parts: readonly SystemPart[]): string {
  return parts.map(({ text }) => text.toWellFormed()).join("\n\n");
}

function toolsOf({ tools }: ModelRequest, target: PromptTarget): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, schema }, at) => ({
    type: "function",
    name,
    description,
    inputSchema: schema,
    // This wire makes every parameter required unless it is told not to.
    ...(target.dialect === "openai-responses" ? { strict: false } : {}),
    ...(at === tools.length - 1 && target.dialect === "anthropic" ? { providerOptions: cacheMark(target) } : {}),
  }));
}

function messagesOf(messages: readonly ModelMessage[], target: PromptTarget): LanguageModelV3Message[] {
  const known = WRITTEN.get(target) ?? new WeakMap<ModelMessage, readonly LanguageModelV3Message[]>();
  WRITTEN.set(target, known);
  const sent: LanguageModelV3Message[] = [];
  for (const message of messages) {
    let own = known.get(message);
    if (own === undefined) {
      own = messageOf(message, target);
      known.set(message, own);
    }
    sent.push(...own);
  }
  return marksCache(target) ? markMessages(sent, target) : sent;
}

/** What a message becomes for a model is written once, so that a long history costs little at the next step. */
const WRITTEN = new WeakMap<PromptTarget, WeakMap<ModelMessage, readonly LanguageModelV3Message[]>>();

function messageOf(message: ModelMessage, target: PromptTarget): LanguageModelV3Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: message.text.toWellFormed() }] }];
    case "assistant": {
      const content = assistantContent(message, target);
      // A blank block is refused by some providers for ever after; nothing is lost with it.
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return [
        {
          role: "tool",
          content: message.results.map(({ id, name, text, isError }) => ({
            type: "tool-result",
            toolCallId: wireId(id, target.dialect),
            toolName: name,
            output: { type: isError ? "error-text" : "text", value: text.toWellFormed() },
          })),
        },
      ];
  }
}

function optionsOf({ dialect }: PromptTarget): SharedV3ProviderOptions | undefined {
  switch (dialect) {
    case "openai-responses":
      // Nothing of a conversation is kept there; reasoning comes back sealed instead.
      return { openai: { store: false } };
    case "anthropic":
      // Arguments are streamed as valid JSON, not as fast as possible.
      return { anthropic: { toolStreaming: false } };
    default:
      return undefined;
  }
}

/**
 * Cache breakpoints for Anthropic's models, at most four: after the tools, after the stable system text, and on the
 * last two messages that are not the model's own, so that the next request finds the prefix this one stored.
 */
import type { LanguageModelV3Message, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Dialect, ProviderName } from "../model.js";

export const CACHE_BREAKPOINTS_MAX = 4;
const MESSAGE_BREAKPOINTS = 2;

interface CacheTarget {
  readonly provider: ProviderName;
  readonly name: string;
  readonly dialect: Dialect;
}

/** Whether prefixes are cached only where they are marked; elsewhere caching needs no marks. */
export function marksCache({ dialect, provider, name }: CacheTarget): boolean {
  return dialect === "anthropic" || (provider === "openrouter" && /^~?anthropic\//.test(name));
}

export function cacheMark({ provider }: CacheTarget): SharedV3ProviderOptions {
  const namespace = provider === "openrouter" ? "openrouter" : "anthropic";
  return { [namespace]: { cacheControl: { type: "ephemeral" } } };
}

export function markMessages(
  messages: readonly LanguageModelV3Message[],
  target: CacheTarget,
): LanguageModelV3Message[] {
  const marked = new Set(
    messages
      .map(({ role }, at) => ({ role, at }))
      .filter(({ role }) => role === "user" || role === "tool")
      .slice(-MESSAGE_BREAKPOINTS)
      .map(({ at }) => at),
  );
  return messages.map((message, at) => (marked.has(at) ? markMessage(message, cacheMark(target)) : message));
}

/** On the last part: a router would take a mark on a message of several results for as many marks. */
function markMessage(message: LanguageModelV3Message, mark: SharedV3ProviderOptions): LanguageModelV3Message {
  if (message.role !== "tool") return { ...message, providerOptions: mark };
  const last = message.content.length - 1;
  return {
    ...message,
    content: message.content.map((part, at) => (at === last ? { ...part, providerOptions: mark } : part)),
  };
}

/** An assistant's message with the provider's private parts where they stood when they came. */
import type { LanguageModelV3Message, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { sendableArguments } from "../arguments.js";
import type { AssistantMessage, Dialect, OpaqueMetadata } from "../model.js";
import { wantsPlainReasoning } from "../opaque.js";
import { wireId } from "./wire-id.js";

type Content = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

export function assistantContent(message: AssistantMessage, target: { dialect: Dialect; name: string }): Content {
  const opaque = message.opaque ?? [];
  const own = opaque.find((part) => part.kind === "text");
  const reasoning = opaque
    .filter(({ kind }) => kind === "reasoning")
    .filter((part) => part.metadata !== undefined || isPlainWanted(message, target));
  const content: Content = [];
  let sent = 0;
  const sendText = (until: number): void => {
    const text = message.text.slice(sent, until).toWellFormed();
    sent = Math.max(sent, until);
    if (text.trim() === "") return;
    content.push({ type: "text", text, ...optionsOf(own?.metadata) });
  };
  const sendReasoning = (callsBefore: number): void => {
    for (const part of reasoning) {
      const at = part.at ?? { chars: 0, calls: 0 };
      if (at.calls !== callsBefore) continue;
      sendText(Math.min(at.chars, message.text.length));
      content.push({ type: "reasoning", text: part.text, ...optionsOf(part.metadata) });
    }
  };
  sendReasoning(0);
  // Text after a call is sent before it: the wires want all text before the first call.
  sendText(message.text.length);
  message.calls.forEach((call, at) => {
    if (at > 0) sendReasoning(at);
    const signed = opaque.find((part) => part.kind === "call" && part.at?.calls === at);
    content.push({
      type: "tool-call",
      toolCallId: wireId(call.id, target.dialect),
      toolName: call.name,
      input: sendableArguments(call.arguments),
      ...optionsOf(signed?.metadata),
    });
  });
  return content;
}

/** Plain reasoning goes back with the calls it led to, and to models that ask for it. */
function isPlainWanted(message: AssistantMessage, { dialect, name }: { dialect: Dialect; name: string }): boolean {
  if (dialect === "google") return true;
  return dialect === "openai-chat" && message.calls.length > 0 && wantsPlainReasoning(name);
}

function optionsOf(metadata: OpaqueMetadata | undefined): { providerOptions?: SharedV3ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV3ProviderOptions };
}

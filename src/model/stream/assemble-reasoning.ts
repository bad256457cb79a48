/** The reasoning of one answer: text to show, and the parts a provider wants back with where they stood. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { field } from "../json-field.js";
import type { Dialect, OpaqueMetadata, OpaquePart } from "../model.js";
import { isReturnable, keptMetadata } from "../opaque.js";
import { joinText } from "./well-formed.js";

export type ReasoningPart = Extract<
  LanguageModelV3StreamPart,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

export interface Place {
  readonly chars: number;
  readonly calls: number;
}

export interface ReasoningCollector {
  /** Takes a part and tells what of it may be shown. */
  take(part: ReasoningPart, at: Place): string;
  text(): string;
  parts(finishMetadata: unknown): readonly OpaquePart[];
}

interface Block {
  readonly id: string;
  readonly at: Place;
  text: string;
  metadata: OpaqueMetadata | undefined;
}

export function collectReasoning(dialect: Dialect, keepsPlain: boolean): ReasoningCollector {
  const joiner = joinText();
  const blocks: Block[] = [];
  let shown = "";
  const open = (id: string, at: Place): Block => {
    const block: Block = { id, at, text: "", metadata: undefined };
    blocks.push(block);
    return block;
  };
  return {
    take(part, at) {
      const found = part.type === "reasoning-start" ? undefined : blocks.findLast(({ id }) => id === part.id);
      const block = found ?? open(part.id, at);
      block.metadata = merged(block.metadata, keptMetadata(dialect, "reasoning", part.providerMetadata));
      if (part.type !== "reasoning-delta") return "";
      block.text += part.delta;
      const delta = joiner.add(part.delta);
      shown += delta;
      return delta;
    },
    text: () => shown + joiner.end(),
    parts(finishMetadata) {
      const details = field(field(finishMetadata, "openrouter"), "reasoning_details");
      if (Array.isArray(details) && details.length > 0) return [routed(shown, details)];
      if (dialect === "openai-chat" && !keepsPlain) return [];
      return blocks.filter((block) => isWorthKeeping(dialect, block)).map(partOf);
    },
  };
}

function merged(before: OpaqueMetadata | undefined, now: OpaqueMetadata | undefined): OpaqueMetadata | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  const [namespace] = Object.keys(now);
  if (namespace === undefined) return before;
  return { [namespace]: { ...(before[namespace] as object), ...(now[namespace] as object) } };
}

function isWorthKeeping(dialect: Dialect, { text, metadata }: Block): boolean {
  return isReturnable(dialect, metadata) && (text !== "" || metadata !== undefined);
}

function partOf({ text, metadata, at }: Block): OpaquePart {
  return {
    kind: "reasoning",
    text: text.toWellFormed(),
    ...(metadata === undefined ? {} : { metadata }),
    ...(at.chars === 0 && at.calls === 0 ? {} : { at }),
  };
}

/** OpenRouter's own list holds every signature, also those that came after the reasoning had ended. */
function routed(text: string, details: readonly unknown[]): OpaquePart {
  const copy: unknown = JSON.parse(JSON.stringify(details));
  return { kind: "reasoning", text, metadata: { openrouter: { reasoning_details: copy } } };
}

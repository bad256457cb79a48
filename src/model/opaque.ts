/**
 * Which private metadata a provider wants back, and nothing else of it: the rest would grow every stored message
 * and, with stored-item ids, tie it to a server that was told to store nothing.
 */

import { field, isText } from "./json-field.js";
import type { Dialect, OpaqueMetadata } from "./model.js";

type Kind = "reasoning" | "text" | "call";

/** The part of a package's metadata to keep, in the shape it is handed back in. Undefined: nothing worth keeping. */
export function keptMetadata(dialect: Dialect, kind: Kind, metadata: unknown): OpaqueMetadata | undefined {
  for (const [namespace, keys] of KEPT[dialect][kind]) {
    const from = field(metadata, namespace);
    const kept = Object.fromEntries(keys.map((key) => [key, field(from, key)]).filter(([, value]) => isText(value)));
    if (Object.keys(kept).length > 0) return { [namespace]: kept };
  }
  return undefined;
}

type Kept = readonly (readonly [namespace: string, keys: readonly string[]])[];

const KEPT: Readonly<Record<Dialect, Readonly<Record<Kind, Kept>>>> = {
  "openai-chat": { reasoning: [], text: [], call: [] },
  "openai-responses": {
    reasoning: [["openai", ["itemId", "reasoningEncryptedContent"]]],
    text: [["openai", ["phase"]]],
    call: [],
  },
  anthropic: { reasoning: [["anthropic", ["signature", "redactedData"]]], text: [], call: [] },
  google: {
    reasoning: [["google", ["thoughtSignature"]]],
    text: [["google", ["thoughtSignature"]]],
    call: [["google", ["thoughtSignature"]]],
  },
};

/** Reasoning that can be handed back: signed, sealed, or plain where the wire has no signatures. */
export function isReturnable(dialect: Dialect, metadata: OpaqueMetadata | undefined): boolean {
  switch (dialect) {
    case "anthropic":
      return metadata !== undefined;
    case "openai-responses":
      return isText(field(field(metadata, "openai"), "reasoningEncryptedContent"));
    case "google":
      return true;
    case "openai-chat":
      return true;
  }
}

/** Open models that answer with an error, or with less sense, when their reasoning of a tool step is not sent back. */
export function wantsPlainReasoning(name: string): boolean {
  return /deepseek|kimi|glm-|minimax|mimo/i.test(name);
}

/** A call's id as a wire takes it. Ids of another provider may be too long or have signs that this one refuses. */
import { createHash } from "node:crypto";
import type { Dialect } from "../model.js";

const CHARS_MAX: Readonly<Record<Dialect, number>> = {
  "openai-chat": 40,
  "openai-responses": 64,
  anthropic: 64,
  google: 256,
};

/** The id itself where it fits, else one made from it: the same for the call and its result, in every request. */
export function wireId(id: string, dialect: Dialect): string {
  const isFine = id.length <= CHARS_MAX[dialect] && (dialect !== "anthropic" || /^[A-Za-z0-9_-]{1,64}$/.test(id));
  if (isFine) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
}

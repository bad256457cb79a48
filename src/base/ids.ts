/**
 * Branded ids and how they are made. Ids begin with random characters, so that a short prefix names
 * one thing; they never carry a time, an order or a meaning.
 */
import { randomBytes } from "node:crypto";

declare const brand: unique symbol;
export type Branded<Name extends string> = string & { readonly [brand]: Name };

export type ConversationId = Branded<"Conversation">;
export type SessionId = Branded<"Session">;
export type TurnId = Branded<"Turn">;
export type InputId = Branded<"Input">;
export type ToolCallId = Branded<"ToolCall">;
export type ApprovalId = Branded<"Approval">;
export type DeliveryId = Branded<"Delivery">;
export type JobId = Branded<"Job">;
export type PersonId = Branded<"Person">;
export type HostId = Branded<"Host">;
export type ChatCommandId = Branded<"ChatCommand">;

export const ID_CHARS = 16;
/** No i, l, o, u: an id read aloud or copied by hand stays the same id. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
export const ID_PATTERN = new RegExp(`^[${ALPHABET}]{${ID_CHARS}}$`);

/** Where new ids come from. Tests inject a counting source; everything else uses `randomIds`. */
export type NewId = <T extends string>() => T;

/** 80 random bits. */
export const randomIds: NewId = <T extends string>() => {
  let id = "";
  for (const byte of randomBytes(ID_CHARS)) id += ALPHABET[byte & 31];
  return id as T;
};

/** A reproducible source for tests: spread like random ids, yet the same for the same seed. */
export function seededIds(seed: number): NewId {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    // xorshift32: small, full period, good enough to spread prefixes.
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  return <T extends string>() => {
    let id = "";
    for (let i = 0; i < ID_CHARS; i++) id += ALPHABET[(next() >>> 7) & 31];
    return id as T;
  };
}

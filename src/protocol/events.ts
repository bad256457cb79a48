/**
 * Every event a host sends or may come to send, with its payload. Events of a conversation carry its id and our `seq`;
 * the order in which they come is in `docs/rpc.md` and checked on every stream the tests record.
 */
import type { z } from "zod";
import { partEvents } from "./events/parts.js";
import { turnEvents } from "./events/turn.js";

export const EVENTS = { ...turnEvents, ...partEvents } as const;

export type EventName = keyof typeof EVENTS;
export type EventPayload<E extends EventName> = z.output<(typeof EVENTS)[E]>;

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

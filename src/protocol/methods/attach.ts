/** Ours: methods for a client that may come and go and shares a conversation with others. */
import { z } from "zod";
import {
  count,
  eventParams,
  exchange,
  inputMode,
  LIST_MAX,
  liveState,
  name,
  picture,
  question,
  seconds,
  sequence,
  sid,
} from "../shapes.js";

/** What a terminal needs to know before it sits down at a conversation. */
const card = z.strictObject({
  id: z.string(),
  tip_session_id: z.string(),
  title: z.string().nullable(),
  cwd: z.string().nullable(),
  model: z.string().nullable(),
  source: z.string(),
  settings: z.record(z.string(), z.unknown()),
  message_count: count,
  last_active: seconds,
  live_turn: z.strictObject({ phase: z.enum(["running", "waiting"]), started_at: seconds, attempts: count }).nullable(),
  queued: count,
  questions: z.array(question),
  last_exchange: exchange.nullable(),
});

export const attachMethods = {
  "session.find": {
    params: z.object({ text: name.default("") }),
    result: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("found"), by: z.enum(["id", "session", "prefix", "title"]), card }),
      z.strictObject({
        kind: z.literal("ambiguous"),
        candidates: z.array(z.strictObject({ id: z.string(), title: z.string().nullable() })),
      }),
      z.strictObject({ kind: z.literal("deleted"), at: seconds }),
      z.strictObject({ kind: z.literal("unknown") }),
    ]),
  },
  "session.questions": {
    params: z.object({ session_id: name.optional() }),
    result: z.strictObject({ questions: z.array(question).max(LIST_MAX) }),
  },
  "session.queue": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({
      inputs: z.array(
        z.strictObject({
          id: z.string(),
          mode: inputMode,
          state: z.enum(["queued", "taken", "steered", "cancelled", "dead"]),
          text: z.string().nullable(),
          reason: z.string().nullable(),
          received_at: seconds,
        }),
      ),
      deliveries: z.array(
        z.strictObject({
          id: z.string(),
          platform: z.string(),
          state: z.string(),
          part: count,
          parts: count,
          text: z.string(),
        }),
      ),
    }),
  },
  "session.queue.cancel": {
    params: z.object({ session_id: sid, input_id: name.default("") }),
    result: z.strictObject({ status: z.enum(["cancelled", "too-late", "unknown"]) }),
  },
  "session.presence": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({
      clients: z.array(z.strictObject({ kind: z.string(), client: z.string(), since: seconds })),
    }),
  },
  "events.subscribe": {
    params: z.object({
      session_id: sid,
      after: sequence.optional(),
      /** What was cut or is queued there goes on, now that somebody looks. */
      wake: z.boolean().optional(),
    }),
    result: z.strictObject({
      seq: sequence,
      state: liveState,
      /** What came after the picture, or after `after`; in order, as it was sent to everybody. */
      events: z.array(eventParams).optional(),
      /** Start over from this: `after` is too long ago, or was not told. */
      reset: picture.optional(),
    }),
  },
  "events.unsubscribe": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({ unsubscribed: z.boolean() }),
  },
  "events.since": {
    params: z.object({ session_id: sid, after: sequence }),
    result: z.strictObject({
      seq: sequence,
      state: liveState.optional(),
      events: z.array(eventParams),
      reset: picture.optional(),
    }),
  },
} as const;

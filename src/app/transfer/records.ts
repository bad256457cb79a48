/**
 * The lines of a jsonl export, described for people in docs/guide/export.md. One conversation after the other:
 *
 *     talaria-export                      once, first
 *     conversation                        then, as often as needed:
 *       session                             where it begins
 *       message …                           in the order of their sequence numbers, without gaps
 *       superseded …                        what an undo hides
 *     end                                 says that the conversation is whole
 *
 * Fields that are empty are left out. Turns, deliveries and routes belong to the home and do not travel.
 */
import { z } from "zod";

export const FORMAT_VERSION = 1;

const id = z.string().min(4).max(128);
const ms = z.int();
const count = z.int().min(0);
const anyObject = z.record(z.string(), z.unknown());
const calls = z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })).optional();
/** Whatever else it holds, what it calls calls are calls: whoever shows or sends them relies on it. */
const body = anyObject.refine(({ toolCalls }) => calls.safeParse(toolCalls).success, "its tool calls are none");

export const headerRecord = z.object({
  type: z.literal("talaria-export"),
  version: z.int(),
  redacted: z.literal(true).optional(),
});

export const conversationRecord = z.strictObject({
  type: z.literal("conversation"),
  id,
  lineage: z.enum(["root", "reset", "branch", "delegation", "import"]),
  parent: z.strictObject({ conversation: id, seq: count.optional() }).optional(),
  source: z.string().min(1),
  owner: z
    .strictObject({
      platform: z.string(),
      account: z.string(),
      ours: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  createdMs: ms,
  activeMs: ms,
  archived: z.literal(true).optional(),
});

export const sessionRecord = z.strictObject({
  type: z.literal("session"),
  id,
  continues: id.optional(),
  createdMs: ms,
  title: z.string().optional(),
  model: z.string().optional(),
  cwd: z.string().optional(),
  settings: anyObject.optional(),
  prompt: z.string().optional(),
  usage: z
    .strictObject({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count,
      modelCalls: count,
      costMicros: z.int().optional(),
      costUnknown: z.literal(true).optional(),
    })
    .optional(),
  origin: anyObject.optional(),
  openings: z.array(
    z
      .strictObject({
        platform: z.string(),
        openedMs: ms,
        closedMs: ms.nullable(),
        reason: z.string().min(1).nullable(),
      })
      .refine(({ closedMs, reason }) => (closedMs === null) === (reason === null), "an end needs a time and a reason"),
  ),
});

export const messageRecord = z.strictObject({
  type: z.literal("message"),
  seq: z.int().min(1),
  session: id,
  role: z.enum(["user", "assistant", "tool", "system", "note"]),
  text: z.string(),
  body: body.optional(),
  carried: z.literal(true).optional(),
  atMs: ms,
});

export const supersededRecord = z.strictObject({
  type: z.literal("superseded"),
  fromSeq: z.int().min(1),
  toSeq: z.int().min(1),
  reason: z.enum(["undo", "retry", "import"]),
  atMs: ms,
});

export const endRecord = z.strictObject({ type: z.literal("end"), conversation: id, messages: count });

export const anyRecord = z.discriminatedUnion("type", [
  conversationRecord,
  sessionRecord,
  messageRecord,
  supersededRecord,
  endRecord,
]);

export type ConversationRecord = z.infer<typeof conversationRecord>;
export type SessionRecord = z.infer<typeof sessionRecord>;
export type MessageRecord = z.infer<typeof messageRecord>;
export type SupersededRecord = z.infer<typeof supersededRecord>;
export type EndRecord = z.infer<typeof endRecord>;
export type AnyRecord = z.infer<typeof anyRecord>;

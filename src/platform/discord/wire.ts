/**
 * What Discord sends, as far as it is used, parsed at the border. A packet that does not fit is left out and logged by
 * whoever parses it: nothing that arrives can throw inside the library's own event loop.
 */
import { z } from "zod";

const id = z.string().regex(/^\d+$/);

const user = z.object({
  id,
  username: z.string().default(""),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

const member = z.object({ nick: z.string().nullish(), user: user.optional() });

const attachment = z.object({
  id,
  filename: z.string(),
  content_type: z.string().nullish(),
  size: z.number().optional(),
  url: z.string(),
});

const quoted = z.object({ author: user.optional(), content: z.string().default("") });

export const wireMessage = z.object({
  id,
  channel_id: id,
  guild_id: id.optional(),
  channel_type: z.number().optional(),
  type: z.number().default(0),
  content: z.string().default(""),
  author: user,
  member: member.nullish(),
  webhook_id: id.nullish(),
  nonce: z.union([z.string(), z.number()]).nullish(),
  mentions: z.array(user).default([]),
  mention_roles: z.array(id).default([]),
  attachments: z.array(attachment).default([]),
  sticker_items: z.array(z.object({ name: z.string() })).default([]),
  edited_timestamp: z.string().nullish(),
  referenced_message: quoted.nullish(),
  message_snapshots: z.array(z.object({ message: quoted })).default([]),
});

export const wireChannel = z.object({
  id,
  type: z.number(),
  name: z.string().nullish(),
  guild_id: id.nullish(),
  owner_id: id.nullish(),
  /** There when we are in the thread. */
  member: z.unknown().optional(),
  recipients: z.array(user).default([]),
});

export const wireInteraction = z.object({
  id,
  type: z.number(),
  token: z.string(),
  application_id: id,
  guild_id: id.nullish(),
  channel_id: id.nullish(),
  channel: wireChannel.partial({ type: true }).nullish(),
  member: member.nullish(),
  user: user.nullish(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]),
    })
    .nullish(),
});

export const wireReady = z.object({ user, application: z.object({ id }) });

export const wireGuild = z.object({
  id,
  channels: z.array(z.unknown()).default([]),
  threads: z.array(z.unknown()).default([]),
  roles: z.array(z.object({ id, tags: z.object({ bot_id: id.nullish() }).nullish() })).default([]),
});

export const wireThreadMembers = z.object({
  id,
  added_members: z.array(z.object({ user_id: id.nullish() })).default([]),
  removed_member_ids: z.array(id).default([]),
});

export const wireThreadList = z.object({ guild_id: id, threads: z.array(z.unknown()).default([]) });

export type WireUser = z.output<typeof user>;
export type WireMessage = z.output<typeof wireMessage>;
export type WireAttachment = z.output<typeof attachment>;
export type WireChannel = z.output<typeof wireChannel>;
export type WireInteraction = z.output<typeof wireInteraction>;

export const THREAD_TYPES: ReadonlySet<number> = new Set([10, 11, 12]);
export const DM_TYPE = 1;

/** Ids are numbers too long for a number, rising with time. */
export function isNewer(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}

const EPOCH_MS = 1_420_070_400_000;

export function timeOf(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + EPOCH_MS;
}

/**
 * Methods of a session's life. On the wire every session id is the conversation's, for life; what compaction replaces
 * is the tip, told beside it where it matters.
 */
import { z } from "zod";
import { INPUT_CHARS_MAX } from "#session/input.js";
import {
  count,
  LIST_MAX,
  liveState,
  name,
  path,
  question,
  SEED_MESSAGES_MAX,
  said,
  seconds,
  sequence,
  sessionPanel,
  sid,
  transcriptRow,
  usage,
} from "../shapes.js";

/** Where events go on from, and whether the rows begin at the beginning. */
const oursOfAPicture = {
  seq: sequence.optional(),
  has_older: z.boolean().optional(),
  tip_session_id: z.string().optional(),
  questions: z.array(question).optional(),
};

const live = {
  session_id: z.string(),
  session_key: z.string(),
  message_count: count,
  messages: z.array(transcriptRow),
  info: sessionPanel,
  inflight: z.strictObject({ user: z.string(), assistant: z.string(), streaming: z.boolean() }).nullable(),
  running: z.boolean(),
  status: liveState,
  started_at: seconds,
  ...oursOfAPicture,
};

const listed = z.strictObject({
  id: z.string(),
  title: z.string(),
  preview: z.string(),
  started_at: seconds,
  message_count: count,
  source: z.string(),
  // Ours.
  last_active: seconds.optional(),
  tip_session_id: z.string().optional(),
  model: z.string().optional(),
  lineage: z.string().optional(),
  end_reason: z.string().optional(),
  is_archived: z.boolean().optional(),
});

const active = z.strictObject({
  id: z.string(),
  session_key: z.string(),
  current: z.boolean(),
  status: liveState,
  title: z.string(),
  preview: z.string(),
  message_count: count,
  model: z.string(),
  started_at: seconds,
  last_active: seconds,
  // Ours.
  clients: count.optional(),
  queued: count.optional(),
});

/**
 * What a session begins with. `user`, `assistant`, `system` or `tool`: any other role is refused with its place. Rows without
 * text are left out; a tool's result may be named, and is shown, but answers no call, so no model sees it.
 */
const seedMessage = z.object({ role: name, content: z.string().max(INPUT_CHARS_MAX).nullish(), name: name.optional() });

export const sessionMethods = {
  "session.create": {
    params: z.object({
      cols: z.number().optional(),
      cwd: path.optional(),
      title: name.optional(),
      messages: z.array(seedMessage).max(SEED_MESSAGES_MAX).optional(),
      source: name.optional(),
      profile: name.optional(),
      model: name.optional(),
      provider: name.optional(),
      reasoning_effort: name.optional(),
      fast: z.boolean().optional(),
      close_on_disconnect: z.boolean().optional(),
      // Ours.
      settings: z.record(z.string().max(100), z.unknown()).optional(),
      yolo: z.boolean().optional(),
      /** An id that an earlier host gave out for a session nobody has said anything in: it keeps it. */
      session_id: name.optional(),
    }),
    result: z.strictObject({
      session_id: z.string(),
      stored_session_id: z.string(),
      message_count: count,
      messages: z.array(transcriptRow),
      info: sessionPanel,
      ...oursOfAPicture,
      /** Why the wanted title was not taken; the session exists without it. */
      title_dropped: z.string().optional(),
    }),
  },
  "session.resume": {
    params: z.object({
      session_id: sid,
      cols: z.number().optional(),
      profile: name.optional(),
      lazy: z.boolean().optional(),
      source: name.optional(),
      close_on_disconnect: z.boolean().optional(),
    }),
    result: z.strictObject({ ...live, resumed: z.string() }),
  },
  "session.activate": { params: z.object({ session_id: sid }), result: z.strictObject(live) },
  "session.close": {
    params: z.object({
      session_id: sid,
      /** Ours: a turn that runs or waits is interrupted first; without it the turn goes on, and the end comes after it. */
      interrupt: z.boolean().optional(),
    }),
    result: z.strictObject({ closed: z.boolean() }),
  },
  "session.delete": { params: z.object({ session_id: sid }), result: z.strictObject({ deleted: z.string() }) },
  "session.list": {
    params: z.object({ limit: z.int().optional(), source: name.optional(), archived: z.boolean().optional() }),
    result: z.strictObject({ sessions: z.array(listed).max(LIST_MAX) }),
  },
  "session.most_recent": {
    params: z.object({}),
    result: z.strictObject({
      session_id: z.string().nullable(),
      title: z.string().optional(),
      started_at: seconds.optional(),
      source: z.string().optional(),
    }),
  },
  "session.active_list": {
    params: z.object({ current_session_id: name.nullish() }),
    result: z.strictObject({ sessions: z.array(active).max(LIST_MAX) }),
  },
  "session.title": {
    params: z.object({ session_id: sid, title: name.nullish() }),
    result: z.strictObject({
      title: z.string(),
      /** When it was asked for. */
      session_key: z.string().optional(),
      /** When it was set: it holds from the first message on. */
      pending: z.boolean().optional(),
    }),
  },
  "session.undo": {
    params: z.object({ session_id: sid, turns: z.int().positive().max(100).optional() }),
    result: z.strictObject({
      removed: count,
      /** What was said, for editing. */
      text: z.string().optional(),
    }),
  },
  "session.compress": {
    params: z.object({ session_id: sid, focus_topic: name.optional() }),
    result: z.strictObject({
      status: z.string(),
      removed: count,
      before_messages: count,
      after_messages: count,
      before_tokens: count,
      after_tokens: count,
      summary: z.strictObject({
        noop: z.boolean(),
        headline: z.string(),
        token_line: z.string(),
        note: z.string().nullable(),
      }),
      usage,
      info: sessionPanel,
      messages: z.array(transcriptRow),
      tip_session_id: z.string().optional(),
    }),
  },
  "session.history": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({
      count,
      /** What stands before a compaction too; of what is very long, the newest. */
      messages: z.array(transcriptRow),
      /** Ours. */
      has_older: z.boolean().optional(),
    }),
  },
  "session.branch": {
    params: z.object({ session_id: sid, name: name.optional(), at_seq: sequence.optional() }),
    result: z.strictObject({
      session_id: z.string(),
      title: z.string(),
      parent: z.string(),
      tip_session_id: z.string().optional(),
    }),
  },
  "session.interrupt": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({
      status: z.literal("interrupted"),
      /** False: nothing was running. */
      was_running: z.boolean().optional(),
    }),
  },
  "session.steer": {
    params: z.object({ session_id: sid, text: said, client_message_id: name.optional() }),
    result: z.strictObject({
      status: z.enum(["queued", "rejected"]),
      text: z.string(),
      input_id: z.string().optional(),
    }),
  },
  "session.usage": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({ ...usage.shape, credits_lines: z.array(z.string()).optional() }),
  },
  "session.status": { params: z.object({ session_id: sid }), result: z.strictObject({ output: z.string() }) },
  "session.save": { params: z.object({ session_id: sid }), result: z.strictObject({ file: z.string() }) },
  "terminal.resize": {
    params: z.object({ session_id: sid, cols: z.number().optional() }),
    result: z.strictObject({ cols: z.number() }),
  },
} as const;

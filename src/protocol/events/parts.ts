/**
 * Events of the terminal clients' protocol that belong to parts a host does not have yet. They are named here so that
 * a client's table is whole and a part that comes later has its shape.
 */
import { z } from "zod";
import { count } from "../shapes.js";

const subagent = z.strictObject({
  goal: z.string(),
  task_index: count,
  task_count: count,
  subagent_id: z.string().optional(),
  parent_id: z.string().optional(),
  child_session_id: z.string().optional(),
  depth: count.optional(),
  model: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
  tool_count: count.optional(),
  tool_name: z.string().optional(),
  tool_preview: z.string().optional(),
  text: z.string().optional(),
  status: z.string().optional(),
  summary: z.string().optional(),
  duration_seconds: z.number().optional(),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  reasoning_tokens: count.optional(),
  api_calls: count.optional(),
  cost_usd: z.number().optional(),
  files_read: z.array(z.string()).optional(),
  files_written: z.array(z.string()).optional(),
  output_tail: z.array(z.strictObject({ tool: z.string(), preview: z.string(), is_error: z.boolean() })).optional(),
});

const preview = z.strictObject({ task_id: z.string(), text: z.string(), level: z.string().optional() });

export const partEvents = {
  "skin.changed": z.looseObject({}),
  "sudo.request": z.strictObject({ request_id: z.string() }),
  "secret.request": z.strictObject({
    prompt: z.string(),
    env_var: z.string(),
    request_id: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
  "review.summary": z.strictObject({ text: z.string() }),
  "subagent.spawn_requested": subagent,
  "subagent.start": subagent,
  "subagent.thinking": subagent,
  "subagent.tool": subagent,
  "subagent.progress": subagent,
  "subagent.complete": subagent,
  "browser.progress": z.strictObject({ message: z.string(), level: z.string() }),
  "voice.status": z.strictObject({ state: z.enum(["idle", "listening", "transcribing"]) }),
  "voice.transcript": z.strictObject({ text: z.string().optional(), no_speech_limit: z.literal(true).optional() }),
  "billing.step_up.verification": z.strictObject({ verification_url: z.string(), user_code: z.string() }),
  "terminal.read.request": z.strictObject({
    request_id: z.string(),
    start: z.int().optional(),
    count: z.int().optional(),
  }),
  "preview.restart.progress": preview,
  "preview.restart.complete": preview,
} as const;

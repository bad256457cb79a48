/** Methods by which a person says and answers something. */
import { z } from "zod";
import { approvalAnswer, count, exchange, inputMode, name, reply, said, sid } from "../shapes.js";

const answered = z.strictObject({ status: z.literal("ok") });

export const promptMethods = {
  "prompt.submit": {
    params: z.object({
      session_id: sid,
      text: said,
      truncate_before_user_ordinal: z.int().nonnegative().optional(),
      // Ours. With an id of the client's own a message is stored once, however often it is sent, and waits while a turn
      // runs; without one a busy session refuses it and stores nothing.
      client_message_id: name.optional(),
      title: name.optional(),
      mode: inputMode.optional(),
    }),
    result: z.strictObject({
      status: z.enum(["streaming", "queued", "duplicate"]),
      session_id: z.string(),
      tip_session_id: z.string().optional(),
      input_id: z.string().optional(),
      title_dropped: z.string().optional(),
      /** Of a duplicate whose turn is over: what became of it. */
      exchange: exchange.optional(),
    }),
  },
  "prompt.background": {
    params: z.object({ session_id: sid, text: said }),
    result: z.strictObject({ task_id: z.string() }),
  },
  "approval.respond": {
    params: z.object({
      session_id: sid,
      choice: approvalAnswer,
      all: z.boolean().optional(),
      // Ours: which one, instead of the oldest.
      approval_id: name.optional(),
      reply: reply.optional(),
    }),
    result: z.strictObject({
      resolved: count,
      /** What holds, when somebody else was faster. */
      decided: approvalAnswer.optional(),
    }),
  },
  "clarify.respond": {
    params: z.object({
      request_id: name.default(""),
      answer: reply.default(""),
      session_id: name.optional(),
      approval_id: name.optional(),
      reply: reply.optional(),
    }),
    result: answered,
  },
  "sudo.respond": { params: z.object({ request_id: name.default(""), password: name.default("") }), result: answered },
  "secret.respond": { params: z.object({ request_id: name.default(""), value: reply.default("") }), result: answered },
} as const;

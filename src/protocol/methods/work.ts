/** Methods of what runs beside a turn, and the mascot that every terminal client asks for. */
import { z } from "zod";
import { count, name, seconds, sid } from "../shapes.js";

const toolset = {
  name: z.string(),
  description: z.string(),
  tool_count: count,
  enabled: z.boolean(),
};

const process = z.strictObject({
  id: z.string(),
  command: z.string(),
  status: z.enum(["running", "exited"]),
  started_at: seconds,
  output_tail: z.string(),
});

export const workMethods = {
  "tools.list": {
    params: z.object({ session_id: name.optional() }),
    result: z.strictObject({ toolsets: z.array(z.strictObject({ ...toolset, tools: z.array(z.string()) })) }),
  },
  "toolsets.list": {
    params: z.object({ session_id: name.optional() }),
    result: z.strictObject({ toolsets: z.array(z.strictObject(toolset)) }),
  },
  "tools.show": {
    params: z.object({ session_id: name.optional() }),
    result: z.strictObject({
      sections: z.array(
        z.strictObject({
          name: z.string(),
          tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
        }),
      ),
      total: count,
    }),
  },
  "process.list": {
    params: z.object({ session_id: sid }),
    result: z.strictObject({ processes: z.array(process) }),
  },
  "process.kill": {
    params: z.object({ session_id: sid, process_id: name.default("") }),
    result: z.strictObject({ killed: z.boolean(), process_id: z.string() }),
  },
  "process.stop": { params: z.object({}), result: z.strictObject({ killed: count }) },
  "delegation.status": {
    params: z.object({}),
    result: z.strictObject({
      active: z.array(
        z.strictObject({
          subagent_id: z.string(),
          parent_id: z.string().nullable(),
          depth: count,
          goal: z.string(),
          model: z.string(),
          started_at: seconds,
          tool_count: count,
          status: z.string(),
        }),
      ),
      paused: z.boolean(),
      max_spawn_depth: count,
      max_concurrent_children: count,
    }),
  },
  "pet.cells": {
    params: z.object({ state: name.optional(), graphics: z.unknown().optional(), cols: z.number().optional() }),
    result: z.strictObject({ enabled: z.literal(false) }),
  },
} as const;

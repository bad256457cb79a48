/** Methods of what runs beside a turn, and the mascot that every terminal client asks for. */
import { z } from "zod";
import { count, name, seconds } from "../shapes.js";

export const workMethods = {
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

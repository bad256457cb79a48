/** Ours: methods about the host and about this client's line to it. */
import { z } from "zod";
import { count, name, seconds } from "../shapes.js";

export const hostMethods = {
  "host.hello": {
    params: z.object({ client: name.default(""), version: name.default(""), protocol: z.int().default(0) }),
    result: z.strictObject({
      version: z.string(),
      protocol: z.int(),
      pid: z.int(),
      home: z.string(),
      epoch: z.int(),
      started_at: seconds,
      /** The client was built later than the host: a restart would bring the host up to it. */
      is_newer_client: z.boolean().optional(),
    }),
  },
  "host.status": {
    params: z.object({}),
    result: z.strictObject({
      pid: z.int(),
      version: z.string(),
      started_at: seconds,
      uptime_s: z.number(),
      connections: count,
      working: count,
      waiting: count,
      jobs: count,
      hooks_owed: count,
      memory_mb: z.number(),
      linger_s: z.number(),
      platforms: z.array(z.strictObject({ name: z.string(), state: z.string() })),
    }),
  },
  "host.stop": {
    params: z.object({ force: z.boolean().optional(), reason: name.optional() }),
    result: z.strictObject({ stopping: z.literal(true), pid: z.int() }),
  },
  /** A graceful leave of the whole client: what only it held is closed. */
  "connection.bye": {
    params: z.object({ reason: name.optional() }),
    result: z.strictObject({ closed: count }),
  },
} as const;

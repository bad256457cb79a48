/** Ours: methods about the host and about this client's line to it. */
import { z } from "zod";
import { count, name, path, seconds } from "../shapes.js";

export const VARIABLES_MAX = 200;
const MARK_CHARS_MAX = 64;

const variableMarks = z
  .record(name, z.string().max(MARK_CHARS_MAX))
  .refine((marks) => Object.keys(marks).length <= VARIABLES_MAX, { error: `at most ${VARIABLES_MAX} variables` });

export const hostMethods = {
  "host.hello": {
    params: z.object({
      client: name.default(""),
      version: name.default(""),
      protocol: z.int().default(0),
      /** Where sessions that name no folder work: the client's own. */
      cwd: path.optional(),
      /** A mark of each variable the client has, by name: heard on the home's socket alone. */
      variables: variableMarks.optional(),
    }),
    result: z.strictObject({
      version: z.string(),
      protocol: z.int(),
      pid: z.int(),
      home: z.string(),
      epoch: z.int(),
      started_at: seconds,
      /** The client was built later than the host: a restart would bring the host up to it. */
      is_newer_client: z.boolean().optional(),
      /** Variables that the host has otherwise than the client: it keeps those of whoever started it. */
      other_variables: z.array(z.string()).optional(),
      /** What a person should know, one sentence each: hooks that need leave, plugins that do not run. */
      notes: z.array(z.string()).optional(),
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
      platforms: z.array(
        z.strictObject({
          name: z.string(),
          /** `starting`, `up`, `down`, `refused`. */
          state: z.string(),
          account: z.string().optional(),
          since: seconds.nullable().optional(),
          why: z.string().nullable().optional(),
          hint: z.string().nullable().optional(),
          /** So long after it was lost it is tried again; null: its adapter works on it. */
          retry_s: z.number().nullable().optional(),
          /** Since this host began. */
          received: count.optional(),
          sent: count.optional(),
          failed: count.optional(),
          last_received: seconds.nullable().optional(),
          last_sent: seconds.nullable().optional(),
        }),
      ),
      /** This host has the platforms: `talaria gateway run`. */
      gateway: z.boolean().optional(),
      /** What is wrong with platforms in the settings, one sentence each. */
      platform_problems: z.array(z.string()).optional(),
      home: z.string().optional(),
      epoch: z.int().optional(),
      /** `safe-mode`: it crashed too often, answers these methods and runs nothing. */
      state: z.enum(["serving", "safe-mode", "stopping"]).optional(),
      safe_mode: z.strictObject({ crashes: count, until: seconds }).nullable().optional(),
      /** Background commands of conversations. */
      processes: count.optional(),
      deliveries_owed: count.optional(),
      log_path: z.string().optional(),
      /** The port for pages and editors; null when none is asked for. With an error nobody listens there. */
      pages: z.strictObject({ address: z.string(), port: count, error: z.string().nullable() }).nullable().optional(),
      /** Hooks by name: those that this host calls, and those that waited for leave when it started. */
      hooks: z.strictObject({ running: z.array(z.string()), waiting: z.array(z.string()) }).optional(),
      /** What is wrong with enabled plugins, one sentence each. */
      plugin_problems: z.array(z.string()).optional(),
    }),
  },
  "host.stop": {
    params: z.object({
      force: z.boolean().optional(),
      reason: name.optional(),
      /** Only when no turn works, no background command runs and it has no platforms. */
      if_idle: z.boolean().optional(),
      /** Only when, beside that, no other client is there, no hook or job runs, and it is not to stay. */
      if_alone: z.boolean().optional(),
      drain_ms: z.number().nonnegative().optional(),
      /** Conversations go on in the next host: their openings stay as they are. */
      keep_openings: z.boolean().optional(),
    }),
    result: z.strictObject({
      /** False: it was to stop only when idle, and is not. */
      stopping: z.boolean(),
      pid: z.int(),
      working: count.optional(),
      waiting: count.optional(),
      processes: count.optional(),
      /** Why it stays: it has the platforms. */
      gateway: z.boolean().optional(),
      drain_ms: z.number().optional(),
    }),
  },
  /** A verb of the store on behalf of a command of this home's owner; on lines that are as good as the person. */
  "host.maintain": {
    params: z.object({ verb: name.default(""), args: z.record(z.string(), z.unknown()).default({}) }),
    result: z.strictObject({ value: z.unknown() }),
  },
  /** A graceful leave of the whole client: what only it held is closed. */
  "connection.bye": {
    params: z.object({ reason: name.optional() }),
    result: z.strictObject({ closed: count }),
  },
} as const;

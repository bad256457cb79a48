/** Methods of settings, models and set-up. */
import { z } from "zod";
import { count, name, path, sessionPanel } from "../shapes.js";

const provider = z.looseObject({
  slug: z.string(),
  name: z.string(),
  models: z.array(z.string()),
  total_models: count,
  is_current: z.boolean(),
  authenticated: z.boolean(),
  auth_type: z.string().optional(),
  key_env: z.string().optional(),
  warning: z.string().optional(),
});

export const configMethods = {
  "config.get": {
    params: z.object({ key: name.default(""), session_id: name.optional(), cwd: path.optional() }),
    result: z.strictObject({
      config: z.record(z.string(), z.unknown()).optional(),
      mtime: z.number().optional(),
      model: z.string().optional(),
      provider: z.string().optional(),
      providers: z.array(z.looseObject({ slug: z.string() })).optional(),
      home: z.string().optional(),
      display: z.string().optional(),
      cwd: z.string().optional(),
      branch: z.string().optional(),
      prompt: z.string().optional(),
      value: z.union([z.string(), z.number(), z.boolean()]).optional(),
      /** Ours, with the key `provider`: what a person should know about the choice of models, a line each. */
      warning: z.string().optional(),
    }),
  },
  "config.set": {
    params: z.object({
      key: name.default(""),
      value: z.unknown().optional(),
      session_id: name.optional(),
      confirm_expensive_model: z.boolean().optional(),
      scope: z.enum(["session", "global"]).optional(),
    }),
    result: z.strictObject({
      key: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
      warning: z.string().optional(),
      confirm_required: z.boolean().optional(),
      confirm_message: z.string().optional(),
      history_reset: z.boolean().optional(),
      info: sessionPanel.optional(),
      scope: z.enum(["session", "global"]).optional(),
    }),
  },
  "setup.status": { params: z.object({}), result: z.strictObject({ provider_configured: z.boolean() }) },
  "model.options": {
    params: z.object({ session_id: name.optional(), refresh: z.boolean().optional() }),
    result: z.strictObject({ model: z.string(), provider: z.string(), providers: z.array(provider) }),
  },
  "reload.mcp": {
    params: z.object({
      session_id: name.optional(),
      confirm: z.boolean().optional(),
      always: z.boolean().optional(),
    }),
    result: z.strictObject({ status: z.enum(["reloaded", "confirm_required"]), message: z.string().optional() }),
  },
} as const;

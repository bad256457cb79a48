/** Methods of slash commands, completion and the shell. */
import { z } from "zod";
import { count, name, path, said, sid } from "../shapes.js";

export const COMPLETIONS_MAX = 30;

const pair = z.tuple([z.string(), z.string()]);

const completions = z
  .array(z.strictObject({ text: z.string(), display: z.string(), meta: z.string() }))
  .max(COMPLETIONS_MAX);

/** Ours: what a client does after a command. `move` without an id: the next message begins a conversation. */
const next = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("stay") }),
  z.strictObject({ kind: z.literal("leave") }),
  z.strictObject({ kind: z.literal("move"), session_id: z.string().nullable() }),
  z.strictObject({ kind: z.literal("resume"), session_id: z.string() }),
  z.strictObject({ kind: z.literal("run") }),
  z.strictObject({ kind: z.literal("send"), text: z.string() }),
  z.strictObject({ kind: z.literal("retry"), text: z.string() }),
  z.strictObject({ kind: z.literal("prefill"), text: z.string() }),
]);

const dispatch = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("exec"), output: z.string(), next: next.optional() }),
  z.strictObject({ type: z.literal("plugin"), output: z.string(), next: next.optional() }),
  z.strictObject({ type: z.literal("alias"), target: z.string() }),
  z.strictObject({ type: z.literal("skill"), name: z.string(), message: z.string() }),
  z.strictObject({
    type: z.literal("send"),
    message: z.string(),
    notice: z.string().optional(),
    next: next.optional(),
  }),
  z.strictObject({
    type: z.literal("prefill"),
    message: z.string(),
    notice: z.string().optional(),
    next: next.optional(),
  }),
]);

export const slashMethods = {
  "commands.catalog": {
    params: z.object({}),
    result: z.strictObject({
      pairs: z.array(pair),
      canon: z.record(z.string(), z.string()),
      sub: z.record(z.string(), z.array(z.string())),
      categories: z.array(z.strictObject({ name: z.string(), pairs: z.array(pair) })),
      skill_count: count,
      warning: z.string(),
    }),
  },
  "slash.exec": {
    params: z.object({ session_id: sid, command: said }),
    result: z.union([
      z.strictObject({
        output: z.string(),
        warning: z.string().optional(),
        next: next.optional(),
        /** Ours: the words asked for something that cannot be; nothing was changed. */
        is_refused: z.boolean().optional(),
      }),
      dispatch,
    ]),
  },
  "command.dispatch": {
    params: z.object({ name: name.default(""), arg: said, session_id: sid }),
    result: dispatch,
  },
  "command.resolve": {
    params: z.object({ name: name.default("") }),
    result: z.strictObject({ canonical: z.string(), description: z.string(), category: z.string() }),
  },
  "complete.slash": {
    params: z.object({ text: said, session_id: name.optional() }),
    result: z.strictObject({ items: completions, replace_from: count }),
  },
  "complete.path": {
    params: z.object({ word: path.default(""), cwd: path.optional(), session_id: name.optional() }),
    result: z.strictObject({ items: completions }),
  },
  "shell.exec": {
    params: z.object({ command: said, session_id: name.optional() }),
    result: z.strictObject({ stdout: z.string(), stderr: z.string(), code: z.int() }),
  },
} as const;

export type SlashNextWire = z.output<typeof next>;

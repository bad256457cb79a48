/**
 * What the two processes say to each other, one JSON object a line. Down: file descriptor 3. Up: 4. The watchdog, a
 * thread of the plugin host that turns when its main thread does not, has 5; when that one closes, the parent is gone.
 */
import { z } from "zod";
import { CONTRIBUTIONS_MAX, LINE_CHARS_MAX, REASON_CHARS_MAX, TOOL_SECONDS_MAX } from "../limits.js";

export interface LoadedPlugin {
  readonly name: string;
  readonly version: string;
  /** Absolute, links resolved. */
  readonly folder: string;
  readonly main: string;
  readonly storage: string;
}

export type CallTarget =
  | { readonly kind: "hook"; readonly name: string; readonly key?: string }
  | { readonly kind: "tool"; readonly name: string; readonly context: Readonly<Record<string, string>> }
  | { readonly kind: "command"; readonly name: string; readonly context: Readonly<Record<string, string>> }
  | { readonly kind: "platform"; readonly name: string; readonly account: string; readonly act: PlatformAct };

/** What an account of a plugin's platform is asked; the value is the act's arguments, in order. */
export type PlatformAct = "open" | "receive" | "send" | "edit" | "find" | "typing" | "close";

export type Down =
  | { readonly type: "load"; readonly id: number; readonly plugin: LoadedPlugin }
  | {
      readonly type: "call";
      readonly id: number;
      readonly plugin: string;
      readonly target: CallTarget;
      readonly value: unknown;
      readonly timeMs: number;
    }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "stop" };

const nameSchema = z.string().max(64);
const textSchema = z.string().max(REASON_CHARS_MAX * 2);
const idSchema = z.number().int();

const contributionSchema = z.object({
  hooks: z.array(nameSchema).max(CONTRIBUTIONS_MAX),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
        description: z.string().min(1).max(4_000),
        input: z.record(z.string(), z.unknown()),
        effect: z.enum(["read-only", "idempotent", "at-most-once"]),
        timeSeconds: z.number().positive().max(TOOL_SECONDS_MAX),
      }),
    )
    .max(CONTRIBUTIONS_MAX),
  commands: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
        summary: z.string().min(1).max(200),
        takes: z.string().max(100).optional(),
      }),
    )
    .max(CONTRIBUTIONS_MAX),
  platforms: z
    .array(
      z.object({
        name: nameSchema,
        summary: z.string().max(200).optional(),
        textCharsMax: z.number().optional(),
        chatEveryMs: z.number().optional(),
        editEveryMs: z.number().optional(),
        isIdempotent: z.boolean().optional(),
        /** It can be run, not listed only. */
        opens: z.boolean().optional(),
      }),
    )
    .max(CONTRIBUTIONS_MAX),
});

/** What a plugin registered. */
export type Contribution = z.infer<typeof contributionSchema>;
export const CONTRIBUTION: z.ZodType<Contribution> = contributionSchema;
export const NO_CONTRIBUTION: Contribution = { hooks: [], tools: [], commands: [], platforms: [] };

const upSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  /** The event loop turns; with what was dropped of each plugin's output since the last beat. */
  z.object({ type: z.literal("beat"), dropped: z.record(z.string(), z.number()).optional() }),
  z.object({ type: z.literal("loaded"), id: idSchema, contribution: contributionSchema }),
  z.object({ type: z.literal("answer"), id: idSchema, value: z.unknown() }),
  z.object({ type: z.literal("failed"), id: idSchema, message: textSchema }),
  z.object({ type: z.literal("report"), id: idSchema, line: z.string().max(LINE_CHARS_MAX) }),
  z.object({ type: z.literal("log"), plugin: nameSchema.nullable(), line: z.string().max(LINE_CHARS_MAX * 2) }),
  z.object({
    type: z.literal("trouble"),
    plugin: nameSchema.nullable(),
    how: z.enum(["exit", "uncaught", "flood", "blocked", "memory"]),
    text: textSchema,
  }),
]);

export type Up = z.infer<typeof upSchema>;
export type Trouble = Extract<Up, { type: "trouble" }>;

/** Undefined for what is none of ours: a plugin wrote to the line itself. */
export function parseUp(line: string): Up | undefined {
  try {
    return upSchema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

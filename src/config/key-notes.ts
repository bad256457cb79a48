/** What is known about a setting beyond its type, and the few shapes that settings have. */
import { z } from "zod";

/** What is known about a key beyond its type. */
export interface KeyNote {
  /** The values it takes, as a phrase that follows "expected". */
  readonly takes: string;
  readonly description: string;
  /** Said of keys whose default does not tell: text that may be absent, and lists or maps. */
  readonly holds?: "text" | "structure";
  /** For keys whose wrong values are put right with a warning instead of refused. */
  readonly repair?: (value: unknown) => Repair;
}

export interface Repair {
  readonly value: unknown;
  readonly warning?: string;
}

export const keyNotes = z.registry<KeyNote>();

interface Range {
  readonly from: number;
  readonly to: number;
}

export const yesOrNo = (initial: boolean, description: string) =>
  z.boolean().default(initial).register(keyNotes, { takes: "true or false", description });

export const whole = (range: Range & { readonly initial: number }, description: string) =>
  z
    .int()
    .min(range.from)
    .max(range.to)
    .default(range.initial)
    .register(keyNotes, { takes: `a whole number from ${range.from} to ${range.to}`, description });

/** A whole number that is known from elsewhere unless somebody says otherwise. */
export const optionalWhole = (range: Range, description: string) =>
  z
    .int()
    .min(range.from)
    .max(range.to)
    .optional()
    .register(keyNotes, { takes: `a whole number from ${range.from} to ${range.to}`, description });

export const decimal = (range: Range & { readonly initial: number }, description: string) =>
  z
    .number()
    .min(range.from)
    .max(range.to)
    .default(range.initial)
    .register(keyNotes, { takes: `a number from ${range.from} to ${range.to}`, description });

export const choice = <const T extends readonly [string, ...string[]]>(
  options: T,
  initial: T[number],
  description: string,
) =>
  z
    .enum(options)
    .default(initial as never)
    .register(keyNotes, { takes: alternatives(options), description });

export const optionalChoice = <const T extends readonly [string, ...string[]]>(options: T, description: string) =>
  z
    .enum(options)
    .optional()
    .register(keyNotes, { takes: alternatives(options), description, holds: "text" });

/** Text that is absent unless somebody sets it. */
export const optionalText = (isValid: (text: string) => boolean, takes: string, description: string) =>
  z.string().refine(isValid).optional().register(keyNotes, { takes, description, holds: "text" });

/** A list or a map. Its schema says "expected …" about its own parts. */
export const structure = <T extends z.ZodType>(schema: T, takes: string, description: string): T => {
  keyNotes.add(schema, { takes, description, holds: "structure" });
  return schema;
};

/** A part of a list or a map: its only complaint is what was expected. */
export const part = <T>(isValid: (value: unknown) => boolean, takes: string) =>
  z.custom<T>(isValid, { error: `expected ${takes}` });

function alternatives(options: readonly string[]): string {
  return `${options.slice(0, -1).join(", ")} or ${options.at(-1)}`;
}

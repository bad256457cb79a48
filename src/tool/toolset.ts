/**
 * The tools of a turn: looked up by name, described to a model, and the border where a model's arguments become a
 * tool's input [TC-40]. What does not fit is answered in words; nothing of it runs.
 *
 * - [TC-41] Descriptions come in one order and the same bytes for the same tools, so that prompt caches hold.
 */
import { z } from "zod";
import { invariant } from "#base/errors.js";
import { nearest } from "./near.js";
import type { Tool } from "./tool.js";

/** What a model is told about a tool. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ParsedCall =
  | { readonly kind: "ok"; readonly tool: Tool; readonly input: unknown }
  | { readonly kind: "unknown-tool"; readonly near: readonly string[]; readonly message: string }
  | { readonly kind: "invalid"; readonly message: string };

export interface Toolset {
  find(name: string): Tool | undefined;
  names(): readonly string[];
  specs(): readonly ToolDescription[];
  /** `value` is what the model sent, parsed as JSON and nothing more. */
  parse(name: string, value: unknown): ParsedCall;
}

const NEAR_MAX = 3;

export function createToolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>();
  for (const tool of [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    invariant(!byName.has(tool.name), `two tools are called ${tool.name}`);
    byName.set(tool.name, tool);
  }
  const names = [...byName.keys()];
  const specs = [...byName.values()].map(describe);
  return {
    find: (name) => byName.get(name),
    names: () => names,
    specs: () => specs,
    parse(name, value) {
      const tool = byName.get(name);
      return tool === undefined ? unknownTool(name, names) : parseInput(tool, value);
    },
  };
}

export interface ToolChoice {
  /** Only these; absent: all. */
  readonly enabled?: readonly string[] | undefined;
  /** Not these, also when enabled. */
  readonly disabled?: readonly string[] | undefined;
}

export interface SelectedTools {
  readonly tools: readonly Tool[];
  /** Names that no tool has: worth telling whoever wrote them. */
  readonly unknown: readonly string[];
}

export function selectTools(tools: readonly Tool[], { enabled, disabled = [] }: ToolChoice): SelectedTools {
  const known = new Set(tools.map(({ name }) => name));
  return {
    tools: tools.filter(({ name }) => (enabled?.includes(name) ?? true) && !disabled.includes(name)),
    unknown: [...new Set([...(enabled ?? []), ...disabled])].filter((name) => !known.has(name)),
  };
}

/** A schema is turned into JSON once in a process: turns come and go, tools stay. */
const schemas = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

function describe({ name, description, input }: Tool): ToolDescription {
  let schema = schemas.get(input);
  if (schema === undefined) {
    const { $schema, ...rest } = z.toJSONSchema(input, { io: "input" });
    schema = rest;
    schemas.set(input, schema);
  }
  return { name, description, schema };
}

function unknownTool(name: string, names: readonly string[]): ParsedCall {
  const near = nearest(name, names, NEAR_MAX);
  const meant = near.length === 0 ? `The tools are: ${names.join(", ")}.` : `Close to it: ${near.join(", ")}.`;
  return { kind: "unknown-tool", near, message: `There is no tool ${JSON.stringify(name.slice(0, 64))}. ${meant}` };
}

function parseInput(tool: Tool, value: unknown): ParsedCall {
  const first = tool.input.safeParse(value);
  if (first.success) return { kind: "ok", tool, input: first.data };
  // Models that must fill in every field send null for what they leave out.
  const second = tool.input.safeParse(withoutNulls(value));
  if (second.success) return { kind: "ok", tool, input: second.data };
  const wrong = first.error.issues.slice(0, ISSUES_MAX).map(issueWords);
  return {
    kind: "invalid",
    message: `The arguments of ${tool.name} do not fit: ${wrong.join("; ")}. Nothing was run. Call it again with correct ones.`,
  };
}

const ISSUES_MAX = 5;
const ISSUE_CHARS_MAX = 300;

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

function issueWords({ path, message }: z.core.$ZodIssue): string {
  const words = path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
  return words.length <= ISSUE_CHARS_MAX ? words : `${words.slice(0, ISSUE_CHARS_MAX).toWellFormed()}…`;
}

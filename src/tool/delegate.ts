/**
 * `delegate`: hands a piece of work to a child with a conversation of its own. The child's input is admitted under
 * the call's durable id, so that running the call again continues the same child instead of starting a second one.
 */
import { z } from "zod";
import type { ConversationId, ToolCallId } from "#base/ids.js";
import { truncate, visible } from "#base/text-width.js";
import { defineTool, type Tool, type ToolResult } from "./tool.js";

export const GOAL_CHARS_MAX = 20_000;
export const DELEGATE_MS_MAX = 60 * 60 * 1000;
const TOOLS_MAX = 64;

export interface ChildRequest {
  readonly goal: string;
  readonly context: string | undefined;
  /** The idempotency key: the same call is the same child. */
  readonly call: ToolCallId;
  /** Who delegates. */
  readonly conversation: ConversationId;
  readonly signal: AbortSignal;
  /** Names of the tools the child may use; undefined: as its parent. */
  readonly tools: readonly string[] | undefined;
}

export interface ChildOutcome {
  readonly kind: "done" | "failed" | "interrupted";
  /** What the child answered, or why it did not. */
  readonly text: string;
  readonly conversation?: ConversationId;
}

export type RunChild = (request: ChildRequest) => Promise<ChildOutcome>;

const input = z.strictObject({
  goal: z.string().min(1).max(GOAL_CHARS_MAX).describe("What is to be done and what to answer with."),
  context: z
    .string()
    .max(GOAL_CHARS_MAX)
    .optional()
    .describe("All the child needs to know: it sees nothing of this conversation."),
  tools: z.array(z.string()).max(TOOLS_MAX).optional().describe("Names of the tools it may use; all unless told."),
});

export function createDelegate(runChild: RunChild): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "delegate",
    description:
      "Hand a self-contained piece of work to a child agent and wait for its answer. It has its own conversation, " +
      "the same working directory, and no way to ask a person. Good for work that reads much and answers little.",
    input,
    effect: "idempotent",
    limits: { timeMs: DELEGATE_MS_MAX, outputChars: 50_000 },
    summary: ({ goal }) => truncate(visible(`delegate: ${goal}`), 100),
    async run({ goal, context, tools }, { call, conversation, signal }) {
      return resultOf(await runChild({ goal, context, call, conversation, signal, tools }));
    },
  });
}

function resultOf({ kind, text, conversation }: ChildOutcome): ToolResult {
  const body = { child: kind, ...(conversation !== undefined && { conversation }) };
  if (kind === "done") return { kind: "ok", text: text === "" ? "(The child ended without words.)" : text, body };
  const where = conversation === undefined ? "" : `\n(What it did is in conversation ${conversation}.)`;
  const what = kind === "failed" ? "The child did not finish" : "The child was interrupted";
  return { kind: "error", text: `${what}: ${text}${where}`, body };
}

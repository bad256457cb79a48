/** `clarify`: asks the person something in words. The question is the guard; the answer is the result. */
import { z } from "zod";
import { truncate, visible } from "#base/text-width.js";
import { defineTool } from "./tool.js";

export const CHOICES_MAX = 4;
const QUESTION_CHARS_MAX = 2_000;
const CHOICE_CHARS_MAX = 200;

const input = z.strictObject({
  question: z.string().trim().min(1).max(QUESTION_CHARS_MAX).describe("One question, complete in itself."),
  choices: z
    .array(z.string().trim().min(1).max(CHOICE_CHARS_MAX))
    .max(CHOICES_MAX)
    .optional()
    .describe("Up to four answers to choose from; the person may always answer in other words."),
});

export const clarifyTool = defineTool<z.infer<typeof input>>({
  name: "clarify",
  description:
    "Ask the person a question and wait for the answer. Only when you cannot go on without it and cannot find it out yourself.",
  input,
  effect: "idempotent",
  limits: { timeMs: 10_000, outputChars: 50_000 },
  guard: ({ question, choices = [] }) => ({ kind: "question", text: question, choices }),
  summary: ({ question }) => truncate(visible(`ask: ${question}`), 100),
  async run({ choices = [] }, { reply }) {
    const words = reply?.trim() ?? "";
    if (words === "")
      return { kind: "error", text: "The person gave no answer. Decide yourself and say what you assumed." };
    return { kind: "ok", text: words, body: { reply: words, choices } };
  },
});

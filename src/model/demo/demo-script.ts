/** What the demo model says: keywords in, prepared sentences out. No part of it pretends to understand anything. */
import { createHash } from "node:crypto";
import type { ModelRequest, ToolSpec } from "../model.js";
import { isRepeatable, reportOf } from "./demo-report.js";
import { DEMO_LABEL, DEMO_TEXTS } from "./demo-texts.js";

export interface DemoAnswer {
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

interface DemoCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const COMMAND_CHARS_MAX = 500;
const TITLE_WORDS_MAX = 6;
const SUMMARY_LINES_MAX = 8;
const SUMMARY_LINE_CHARS_MAX = 160;

export function demoAnswer(request: ModelRequest): DemoAnswer {
  const last = request.messages.at(-1);
  const said = last?.role === "user" ? last.text : "";
  if (request.tools.length === 0) {
    const asked = request.system.map(({ text }) => text).join("\n");
    if (/\bsummar|\bmemory of a conversation/i.test(asked)) return spoken(summaryOf(said));
    if (/\btitle\b/i.test(asked)) return spoken(titleOf(said));
  }
  if (last?.role === "tool") return spoken(reportOf(last));
  const wanted = GO_ON.exec(said);
  if (wanted !== null) return goOn(request, said.slice(0, wanted.index).trim());
  const wish = request.toolChoice === "none" ? undefined : wishOf(said, request.tools);
  if (wish === undefined) return spoken(`${DEMO_LABEL} ${DEMO_TEXTS.hello}`);
  const { text, name, input } = wish;
  return { text: `${DEMO_LABEL} ${text}`, calls: [{ id: idOf(request), name, input }] };
}

/** Said by a person, sent by /continue, or put where a provider wants somebody to have said something. */
const GO_ON = /(?:^|\n)\s{0,20}(?:\/?continue|\[continue\]|go on)[.!]?\s{0,20}$/i;
const CUT_MARK = /\s{0,4}\[interrupted here\]\s{0,4}$/;

/** What it was about to say or do follows from the messages before, so that is looked up again and the rest of it given. */
function goOn(request: ModelRequest, unanswered: string): DemoAnswer {
  const { messages } = request;
  const anew = (until: number): DemoAnswer => {
    const { text, calls } = demoAnswer({ ...request, messages: messages.slice(0, until) });
    return { text, calls: calls.map((call) => ({ ...call, id: idOf(request) })) };
  };
  if (unanswered !== "") {
    return demoAnswer({ ...request, messages: [...messages.slice(0, -1), { role: "user", text: unanswered }] });
  }
  const before = messages.at(-2);
  if (before?.role === "tool") return before.results.some(isRepeatable) ? anew(-3) : spoken(reportOf(before));
  const cut = before?.role === "assistant" ? CUT_MARK.exec(before.text) : null;
  if (before === undefined || cut === null) return spoken(`${DEMO_LABEL} ${DEMO_TEXTS.goOn}`);
  const whole = anew(-2);
  const heard = before.text.slice(0, cut.index);
  return whole.text.startsWith(heard)
    ? { text: `${DEMO_LABEL} … ${whole.text.slice(heard.length).trimStart()}`, calls: whole.calls }
    : spoken(`${DEMO_LABEL} ${DEMO_TEXTS.goOn}`);
}

function spoken(text: string): DemoAnswer {
  return { text, calls: [] };
}

interface Wish {
  readonly text: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The first keyword whose tool is offered. */
function wishOf(said: string, tools: readonly ToolSpec[]): Wish | undefined {
  for (const { pattern, text, name, wanted } of KEYWORDS) {
    const found = pattern.exec(said);
    const tool = tools.find((one) => one.name === name);
    if (found === null || tool === undefined) continue;
    const input = inputFor(tool, wanted(found));
    if (input !== undefined) return { text, name, input };
  }
  return undefined;
}

interface Keyword {
  readonly pattern: RegExp;
  readonly text: string;
  readonly name: string;
  wanted(found: RegExpExecArray): Readonly<Record<string, unknown>>;
}

const FILE_NAME = String.raw`[\w./-]{0,120}[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}\b`;

const KEYWORDS: readonly Keyword[] = [
  {
    pattern: /\b(?:delete|remove|erase)\b/i,
    text: DEMO_TEXTS.delete,
    name: "terminal",
    wanted: () => ({ command: "rm -r ./talaria-demo-that-does-not-exist" }),
  },
  {
    pattern: /^\s{0,20}(?:please\s)?run\s+`?([^`\n]{1,500})/i,
    text: DEMO_TEXTS.run,
    name: "terminal",
    wanted: ([, command = ""]) => ({ command: command.trim().slice(0, COMMAND_CHARS_MAX) }),
  },
  {
    pattern: /\b(?:to-?do|plan|steps)\b/i,
    text: DEMO_TEXTS.todo,
    name: "todo",
    wanted: () => ({ items: DEMO_TEXTS.items.map((text, at) => ({ id: `${at + 1}`, text, status: statusAt(at) })) }),
  },
  {
    // Also without an ending, and outside of the folder: there the question comes first.
    pattern: /\b(?:read|open|show|print|cat|view)\s[^\n]{0,40}?(?<![\w.])((?:~|\.{1,2})?\/[\w.@+-][\w.@+/-]{0,200})/i,
    text: DEMO_TEXTS.read,
    name: "read_file",
    wanted: ([, path = ""]) => ({ path: path.replace(/\.$/, "") }),
  },
  {
    pattern: new RegExp(FILE_NAME),
    text: DEMO_TEXTS.read,
    name: "read_file",
    wanted: ([path]) => ({ path }),
  },
  {
    pattern: /\b(?:files?|folder|directory|search|find|tools?)\b/i,
    text: DEMO_TEXTS.search,
    name: "search_files",
    wanted: () => ({ pattern: "*", query: "*", target: "files", path: "." }),
  },
  {
    pattern: /\b(?:files?|folder|directory|list|tools?)\b/i,
    text: DEMO_TEXTS.list,
    name: "terminal",
    wanted: () => ({ command: "ls" }),
  },
];

function statusAt(at: number): string {
  return at === 0 ? "in_progress" : "pending";
}

/** Of what we would say, what the tool knows; nothing when it insists on more. */
function inputFor(tool: ToolSpec, wanted: Wish["input"]): Wish["input"] | undefined {
  const { properties, required } = tool.schema;
  if (typeof properties !== "object" || properties === null) return undefined;
  const known = Object.entries(wanted).filter(([key]) => key in properties && isOffered(properties, key, wanted[key]));
  const input = Object.fromEntries(known);
  const isEnough = !Array.isArray(required) || required.every((key) => typeof key === "string" && key in input);
  return isEnough ? input : undefined;
}

/** A word that is not among the ones a tool lists is left out. */
function isOffered(properties: object, key: string, value: unknown): boolean {
  const allowed = (properties as Record<string, { enum?: unknown }>)[key]?.enum;
  return !Array.isArray(allowed) || allowed.includes(value);
}

/** The person's words alone: an answer of the demo model is about nothing. */
function titleOf(said: string): string {
  const person = /^\s{0,20}Person:\n([\s\S]{0,4000}?)(?:\n\nAnswer:\n|$)/.exec(said)?.[1] ?? said;
  const words = person.trim().split(/\s+/, TITLE_WORDS_MAX);
  return `Demo: ${words.join(" ")}`.trim();
}

/** Not a summary: the lines as they are, the first and the last of them. */
function summaryOf(said: string): string {
  const lines = said
    .split("\n")
    .map((line) => line.trim().slice(0, SUMMARY_LINE_CHARS_MAX).toWellFormed())
    .filter((line) => line !== "" && !line.startsWith("<"));
  const half = SUMMARY_LINES_MAX / 2;
  const kept = lines.length <= SUMMARY_LINES_MAX ? lines : [...lines.slice(0, half), "…", ...lines.slice(-half)];
  return [`${DEMO_LABEL} ${DEMO_TEXTS.summary}`, "", "## Critical context", ...kept.map((line) => `- ${line}`)].join(
    "\n",
  );
}

/** From the request alone, so that the same step after a crash asks with the same id. */
function idOf({ messages }: ModelRequest): string {
  return `demo_${createHash("sha256").update(JSON.stringify(messages)).digest("hex").slice(0, 16)}`;
}

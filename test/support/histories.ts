/**
 * Histories of every kind for property tests: orderly ones as our store writes them, and wild ones as imports, undo
 * holes, reused ids and damaged bodies leave them.
 */
import fc from "fast-check";
import type { Message, MessageBody, NewMessage, RequestedCall } from "#session/message.js";

export const ORIGIN = "openai|https://one.example|model-a";
export const OTHER_ORIGIN = "anthropic|https://two.example|model-b";

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\n\t",
    "hello",
    "\0",
    "a\0b",
    "\ud800",
    "x\udfff",
    "日本語のテキスト",
    "👩‍🚀",
    "token=abcdefgh12345678",
    "[continue]",
    "-----BEGIN PRIVATE KEY-----",
  ),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
  fc.lorem({ maxCount: 30 }),
);

const anyId = fc.constantFrom(
  "",
  "a",
  "b",
  "c",
  "call_1",
  "call_2",
  "call_2_1",
  "call_3",
  "x|y",
  "é",
  "\ud800",
  "i".repeat(60),
);
const anyName = fc.constantFrom("terminal", "read_file", "", "a b", "1x", "日本", "n".repeat(200), "-");
const anyArguments = fc.oneof(
  fc.constantFrom(
    "{}",
    "",
    " ",
    "null",
    "[1]",
    "3",
    '"x"',
    '{"a":',
    '{"path":"notes.txt"}',
    '{"a":"\\ud800"}',
    '{"a":"\\u0000"}',
    '{"a":"\ud800"}',
    '{"__proto__":{"a":1}}',
    `{"a":${"[".repeat(150)}${"]".repeat(150)}}`,
  ),
  fc.json().map((json) => `{"a":${json}}`),
);

const anyCall: fc.Arbitrary<RequestedCall> = fc.record({ id: anyId, name: anyName, arguments: anyArguments });

const anyOpaque: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({
    origin: fc.constantFrom(ORIGIN, OTHER_ORIGIN, ""),
    parts: fc.array(fc.record({ kind: fc.constant("reasoning"), text: fc.constantFrom("", "thinking") }), {
      maxLength: 2,
    }),
  }),
  fc.constantFrom<unknown>(null, 3, "x", {}, { origin: ORIGIN, parts: [null] }, { origin: ORIGIN, parts: {} }),
);

const anyAssistantBody: fc.Arbitrary<MessageBody> = fc.oneof(
  fc.record(
    {
      toolCalls: fc.array(anyCall, { maxLength: 4 }),
      opaque: anyOpaque,
      interrupted: fc.boolean(),
      reasoning: anyText,
    },
    { requiredKeys: [] },
  ),
  fc
    .constantFrom<unknown>("x", null, {}, [null], [3, "x"], [{}], [{ id: 4, name: null, arguments: { a: 1 } }], [[]])
    .map((toolCalls) => ({ toolCalls }) as unknown as MessageBody),
);

const anyResultBody: fc.Arbitrary<MessageBody> = fc.record(
  { toolCallId: anyId, toolName: anyName, outcome: fc.constantFrom("ok", "error", "unknown", 4) },
  { requiredKeys: [] },
);

const anyMessage: fc.Arbitrary<NewMessage> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ role: fc.constant("user" as const), text: anyText }) },
  fc.record({
    role: fc.constant("user" as const),
    text: anyText,
    body: fc.constantFrom<MessageBody>({ attachments: ["x"] }, { content: [{ type: "image" }] }, {}),
  }),
  {
    weight: 4,
    arbitrary: fc.record({ role: fc.constant("assistant" as const), text: anyText, body: anyAssistantBody }),
  },
  { weight: 5, arbitrary: fc.record({ role: fc.constant("tool" as const), text: anyText, body: anyResultBody }) },
  fc.record({ role: fc.constant("tool" as const), text: anyText }),
  fc.record({
    role: fc.constant("system" as const),
    text: anyText,
    body: fc.constantFrom<MessageBody>({}, { kind: "summary", generation: 1 }, { kind: "summary" }),
  }),
  fc.record({ role: fc.constant("note" as const), text: anyText }),
);

/** Anything in any order. */
export const wildHistory: fc.Arbitrary<readonly Message[]> = fc.array(anyMessage, { maxLength: 24 }).map(toHistory);

interface Step {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string; readonly output: string }[];
  /** Results come in the order they finish. */
  readonly isReversed: boolean;
}

const wordyText = fc.oneof(anyText, fc.lorem({ maxCount: 60 }), fc.lorem({ maxCount: 400 }));

const anyStep: fc.Arbitrary<Step> = fc.record({
  text: anyText,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("terminal", "read_file", "write_file"),
      arguments: fc.lorem({ maxCount: 40 }).map((content) => JSON.stringify({ path: "notes.txt", content })),
      output: wordyText,
    }),
    { minLength: 1, maxLength: 3 },
  ),
  isReversed: fc.boolean(),
});

const anyTurn = fc.record({
  user: wordyText.map((text) => `ask ${text}`),
  steps: fc.array(anyStep, { maxLength: 5 }),
  steer: fc.option(anyText, { nil: undefined }),
  final: wordyText,
  isCut: fc.boolean(),
});

/** As our own store writes them: every call answered, cut turns marked. */
export const orderlyHistory: fc.Arbitrary<readonly Message[]> = fc
  .array(anyTurn, { minLength: 1, maxLength: 8 })
  .map((turns) => {
    let calls = 0;
    const messages = turns.flatMap(({ user, steps, steer, final, isCut }): NewMessage[] => [
      { role: "user", text: user },
      ...steps.flatMap((step) => stepMessages(step, () => `toolu_${++calls}`)),
      ...(steer === undefined ? [] : [{ role: "user" as const, text: steer }]),
      { role: "assistant", text: final, body: isCut ? { interrupted: true } : { finishReason: "stop" } },
      ...(isCut ? [{ role: "note" as const, text: "interrupted" }] : []),
    ]);
    return toHistory(messages);
  });

function stepMessages({ text, calls, isReversed }: Step, newId: () => string): NewMessage[] {
  const asked = calls.map((call) => ({ ...call, id: newId() }));
  const results = asked.map(
    ({ id, name, output }): NewMessage => ({
      role: "tool",
      text: output,
      body: { toolCallId: id, toolName: name, outcome: "ok" },
    }),
  );
  return [
    {
      role: "assistant",
      text,
      body: {
        toolCalls: asked.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
        opaque: { origin: ORIGIN, parts: [{ kind: "reasoning", text: "because" }] },
      },
    },
    ...(isReversed ? results.reverse() : results),
  ];
}

/** An orderly history that lost ranges, got copies, or was shuffled a little. */
export const damagedHistory: fc.Arbitrary<readonly Message[]> = fc
  .tuple(
    orderlyHistory,
    fc.array(fc.tuple(fc.nat(200), fc.nat(6), fc.constantFrom("cut", "double", "swap")), { maxLength: 4 }),
  )
  .map(([history, damages]) => {
    let messages: NewMessage[] = [...history];
    for (const [place, length, damage] of damages) {
      const at = place % (messages.length + 1);
      const part = messages.slice(at, at + length);
      if (damage === "cut") messages = messages.toSpliced(at, length);
      else if (damage === "double") messages = messages.toSpliced(at, 0, ...part);
      else messages = messages.toSpliced(at, length, ...part.reverse());
    }
    return toHistory(messages);
  });

export const anyHistory: fc.Arbitrary<readonly Message[]> = fc.oneof(wildHistory, orderlyHistory, damagedHistory);

export function toHistory(messages: readonly NewMessage[]): readonly Message[] {
  return messages.map((message, at) => ({
    seq: at + 1,
    role: message.role,
    text: message.text,
    ...(message.body && { body: message.body }),
    isCarried: false,
    atMs: message.atMs ?? 1_000 + at,
  }));
}

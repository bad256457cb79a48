/**
 * A plugin's platform as one that the gateway runs: the same durable inbox and outbox, the same outcomes. The line lives
 * in the plugin host and is asked by calls; messages are fetched by a call that waits, and what is stored is told by
 * the next one, so that nothing is acknowledged before it is kept [CT-1]. When the plugin host dies the line is lost
 * like any other, and opened again.
 */
import { z } from "zod";
import type { Clock } from "#base/clock.js";
import type { Chat, Outgoing, Platform, PlatformKind, PlatformParts, SendOutcome } from "#platform/platform.js";
import type { CallPort } from "./call-port.js";
import { PluginError } from "./failure.js";
import type { Contribution, PlatformAct } from "./wire/frames.js";

const TEXT_CHARS_DEFAULT = 2_000;
const CHAT_EVERY_DEFAULT_MS = 1_000;
const EDIT_EVERY_DEFAULT_MS = 2_000;
const PER_SECOND = 20;
const OPEN_MS = 20_000;
/** The plugin is told 20 s; the rest is the way there and back. */
const RECEIVE_MS = 30_000;
const SEND_MS = 30_000;
const SMALL_MS = 10_000;
const CLOSE_MS = 1_000;
/** A plugin that answers at once with nothing is not asked in a circle. */
const PAUSE_MS = 250;
/** Messages of one answer. */
const BATCH_MAX = 500;

const chatSchema = z.object({
  type: z.enum(["dm", "group", "channel", "thread"]),
  id: z.string().min(1).max(500),
  name: z.string().max(500).optional(),
  threadId: z.string().min(1).max(500).optional(),
});
const incomingSchema = z.object({
  eventId: z.string().min(1).max(500),
  chat: chatSchema,
  sender: z.object({ id: z.string().min(1).max(500), name: z.string().max(500).optional() }),
  text: z.string(),
  isAddressed: z.boolean().optional(),
});
const batchSchema = z.array(incomingSchema).max(BATCH_MAX);
const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sent"), receipt: z.string().min(1).max(500) }),
  z.object({ kind: z.literal("retry"), afterMs: z.number().min(0), why: z.string() }),
  z.object({ kind: z.literal("refused"), why: z.string() }),
  z.object({ kind: z.literal("unknown"), why: z.string() }),
]);

type Described = Contribution["platforms"][number];

export function asPlatformKind(described: Described, plugin: string, port: CallPort): PlatformKind {
  const { name, textCharsMax = TEXT_CHARS_DEFAULT, chatEveryMs = CHAT_EVERY_DEFAULT_MS } = described;
  return {
    name,
    title: name,
    settings: z.record(z.string(), z.unknown()),
    secrets: [],
    limits: {
      text: textCharsMax,
      unit: "utf16",
      chatEveryMs,
      perSecond: PER_SECOND,
      editEveryMs: described.editEveryMs ?? EDIT_EVERY_DEFAULT_MS,
      mediaIn: 0,
      mediaOut: 0,
      hasLines: true,
    },
    ...(described.isIdempotent === true ? { isIdempotent: true } : {}),
    open: async (settings, parts) => openLine({ plugin, name, port, parts }, settings),
  };
}

interface LineParts {
  readonly plugin: string;
  readonly name: string;
  readonly port: CallPort;
  readonly parts: PlatformParts;
}

async function openLine(line: LineParts, settings: unknown): Promise<Platform> {
  const able = z.array(z.string()).parse(await ask(line, "open", [settings], { timeMs: OPEN_MS }));
  const can = (act: string): boolean => able.includes(act);
  return {
    run: (signal) => run(line, signal),
    send: (outgoing, signal) => sending(line, "send", [wordsOf(outgoing)], signal),
    ...(can("edit")
      ? { edit: (_place, receipt, outgoing, signal) => sending(line, "edit", [receipt, wordsOf(outgoing)], signal) }
      : {}),
    ...(can("find")
      ? {
          findSent: async (outgoing, sinceMs, signal) => {
            const found = await ask(line, "find", [wordsOf(outgoing), sinceMs], { timeMs: SMALL_MS, signal });
            if (typeof found === "string" && found !== "") return { kind: "found", receipt: found };
            return { kind: found === null ? "absent" : "unsure" };
          },
        }
      : {}),
    ...(can("typing")
      ? {
          typing: async (place, signal) => {
            await ask(line, "typing", [place.chat], { timeMs: SMALL_MS, signal });
          },
        }
      : {}),
  };
}

/** Until the signal, or until the line is lost: then it rejects with the reason. */
async function run(line: LineParts, signal: AbortSignal): Promise<void> {
  const { receiver, clock } = line.parts;
  let stored: string[] = [];
  receiver.up();
  try {
    while (!signal.aborted) {
      const begunMs = clock.monotonicMs();
      const batch = batchSchema.parse(await ask(line, "receive", [stored], { timeMs: RECEIVE_MS, signal }));
      stored = await keep(line, batch);
      if (stored.length === 0 && clock.monotonicMs() - begunMs < PAUSE_MS) await pause(clock, signal);
    }
  } catch (error) {
    // Whoever was told to stop waits for nothing any more.
    if (!signal.aborted) throw readable(error);
  }
  // What was stored last is told once more, so that it is not given again; a plugin that is gone has forgotten it anyway.
  await ask(line, "close", [stored], { timeMs: CLOSE_MS }).catch(() => undefined);
}

function readable(error: unknown): Error {
  if (error instanceof z.ZodError) return new Error(`its answer cannot be used: ${z.prettifyError(error)}`);
  return error instanceof Error ? error : new Error(String(error));
}

/** In order; what could not be kept is not in the answer, and neither is what came after it in its chat. */
async function keep({ parts }: LineParts, batch: z.infer<typeof batchSchema>): Promise<string[]> {
  const stored: string[] = [];
  const stuck = new Set<string>();
  for (const { chat, sender, isAddressed, ...message } of batch) {
    const lane = JSON.stringify([chat.id, chat.threadId]);
    if (stuck.has(lane)) continue;
    try {
      await parts.receiver.message({
        ...message,
        chat: chat as Chat,
        sender: { id: sender.id, ...(sender.name === undefined ? {} : { name: sender.name }) },
        isAddressed: isAddressed ?? chat.type === "dm",
      });
      stored.push(message.eventId);
    } catch (error) {
      stuck.add(lane);
      parts.log.warn("a message could not be kept and stays with its platform", { error: String(error) });
    }
  }
  return stored;
}

async function sending(
  line: LineParts,
  act: "send" | "edit",
  args: unknown[],
  signal: AbortSignal,
): Promise<SendOutcome> {
  try {
    return outcomeSchema.parse(await ask(line, act, args, { timeMs: SEND_MS, signal }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The call never left: the plugin host was down, or had too much to do.
    if (error instanceof PluginError && NEVER_LEFT.has(error.code)) return { kind: "retry", afterMs: 1_000, why };
    return { kind: "unknown", why };
  }
}

const NEVER_LEFT: ReadonlySet<string> = new Set(["plugin-busy", "plugin-gone"]);

function wordsOf({ id, place, text }: Outgoing): unknown {
  return { id, chat: place.chat, text };
}

function ask(
  { plugin, name, port, parts }: LineParts,
  act: PlatformAct,
  value: unknown[],
  { timeMs, signal }: { timeMs: number; signal?: AbortSignal },
): Promise<unknown> {
  return port.call({ plugin, target: { kind: "platform", name, account: parts.account, act }, value, timeMs, signal });
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
}

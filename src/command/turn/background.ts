/**
 * `/background TEXT`: a conversation of its own that works while this one goes on. It is stored before anything is said
 * about it, belongs to the same person, is linked to where it was asked, and says when it is done.
 */
import { OperationalError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { Watcher } from "#runtime/live/port.js";
import type { Admission } from "#session/input.js";
import type { SessionStore } from "#session/store.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import { type SlashCommand, type SlashContext, said } from "../command.js";
import type { LivePort } from "../ports.js";
import { notTakenText } from "./admission-text.js";

const MESSAGES_LOOKED_AT = 10;
/** Longer answers are read where they stand. */
export const BACKGROUND_TEXT_CHARS_MAX = 20_000;

export const backgroundCommand: SlashCommand = {
  name: "background",
  aliases: ["bg", "btw"],
  category: "Turn",
  takes: "<prompt>",
  arguments: "none",
  summary: "ask something in a conversation of its own",
  details: ["It works beside this one and is told here when it is done; /agents shows what runs."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  needs: ["live"],
  whileBusy: true,
  async run(context, text) {
    if (text === "") return said("/background takes what is to be asked.");
    const begun = await beginBackground(context, text);
    if (begun.kind === "refused") return said(begun.why);
    return said(`It works on that in the background: ${begun.task}. /resume ${begun.task} goes there.`);
  },
};

export type BackgroundBegun =
  | { readonly kind: "begun"; readonly task: ConversationId }
  | { readonly kind: "refused"; readonly why: string };

/** The task's id is its conversation's. Whoever watches the conversation it was asked in is told of its end. */
export async function beginBackground(context: SlashContext, text: string): Promise<BackgroundBegun> {
  const { live, store, conversation } = context;
  if (live === undefined) return { kind: "refused", why: "Nothing can run in the background here." };
  const parent = conversation === undefined ? {} : { delegatedBy: conversation };
  const admission: Admission = await live.say({ text, mode: "queue", to: { kind: "new", ...parent } });
  if (admission.kind !== "admitted" && admission.kind !== "duplicate") {
    return { kind: "refused", why: notTakenText(admission) ?? "It was not taken." };
  }
  const task = admission.conversation;
  if (conversation !== undefined && admission.kind === "admitted") {
    void tellEnd({ live, store, task, asker: conversation });
  }
  return { kind: "begun", task };
}

interface Followed {
  readonly live: LivePort;
  readonly store: SessionStore;
  readonly task: ConversationId;
  readonly asker: ConversationId;
}

async function tellEnd(followed: Followed): Promise<void> {
  const { live, task, asker } = followed;
  const text = await endText(followed).catch((error: unknown) => {
    // The answer is in the store all the same; only this telling of it fails.
    if (error instanceof OperationalError) return `It could not be read (${error.message}): /resume ${task}`;
    throw error;
  });
  live.tell(asker, { type: "background-ended", task, text });
}

/** Nobody looks at it, so a question it has is told where somebody does. */
async function rested({ live, task, asker }: Followed): Promise<void> {
  const watcher: Watcher = {
    event({ event }) {
      if (event.type !== "question") return;
      const text = `What runs in the background waits for your answer: /resume ${task}`;
      live.tell(asker, { type: "notice", text });
    },
  };
  const { events } = await live.watch(task, watcher);
  for (const one of events) watcher.event(one);
  await live.rest(task);
  live.unwatch(task, watcher);
}

async function endText(followed: Followed): Promise<string> {
  const { live, store, task } = followed;
  await rested(followed);
  if ((await live.state(task)) === "waiting") return `It waits for your answer: /resume ${task}`;
  const rows = await store.recent({ conversation: task, limit: MESSAGES_LOOKED_AT });
  const last = rows.findLast(({ role }: HistoryRow) => role === "assistant" || role === "note");
  const text = last?.text ?? "";
  if (text === "") return `It ended without an answer: /resume ${task}`;
  return text.length <= BACKGROUND_TEXT_CHARS_MAX
    ? text
    : `${text.slice(0, BACKGROUND_TEXT_CHARS_MAX).toWellFormed()}… (more of it: /resume ${task})`;
}

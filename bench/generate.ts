/**
 * A large store, made through the store's own verbs: N conversations of ten messages, one route for each tenth.
 */

import type { ImportedMessage } from "#session/verbs/care.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { createCorpus } from "./corpus.js";

export interface Size {
  readonly conversations: number;
  readonly messagesEach: number;
  readonly routes: number;
}

const GROUP = 200;
export const BENCH_EPOCH_MS = Date.UTC(2026, 0, 1);

export async function generateStore(
  paths: { state: string; search?: string },
  size: Size,
  onProgress?: (done: number) => void,
): Promise<void> {
  const opened = openInlineStore({
    path: paths.state,
    ...(paths.search !== undefined && { searchPath: paths.search }),
  });
  opened.db.exec("PRAGMA synchronous = OFF");
  const corpus = createCorpus(7);
  for (let from = 0; from < size.conversations; from += GROUP) {
    const group = Array.from({ length: Math.min(GROUP, size.conversations - from) }, (_, index) => from + index);
    await Promise.all(group.map((number) => opened.store.importConversation(conversation(number))));
    await Promise.all(
      group.map((number) =>
        opened.store.importMessages({ session: sessionId(number), messages: messages(number, size.messagesEach) }),
      ),
    );
    onProgress?.(from + group.length);
  }
  for (let from = 0; from < size.routes; from += GROUP) {
    const group = Array.from({ length: Math.min(GROUP, size.routes - from) }, (_, index) => from + index);
    await Promise.all(group.map((number) => opened.store.importRoute(route(number, size.conversations))));
  }
  opened.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");

  function messages(number: number, count: number): ImportedMessage[] {
    return Array.from({ length: count }, (_, index) => {
      const isUser = index % 2 === 0;
      const body =
        isUser || corpus.below(3) !== 0
          ? {}
          : {
              body: {
                toolCalls: [{ id: `call_${number}_${index}`, name: "read_file", arguments: '{"path":"notes.txt"}' }],
              },
            };
      return {
        role: isUser ? "user" : "assistant",
        text: isUser ? corpus.user() : corpus.assistant(),
        ...body,
        atMs: at(number) + index * 1000,
        sourceNo: index,
      };
    });
  }
}

/** Spread like our own ids, so that prefixes are as unique as in a real home. */
export function sessionId(number: number): string {
  return `${((number * 2654435761) % 2 ** 32).toString(36).padStart(7, "0")}s${number.toString(36).padStart(8, "0")}`;
}

export function routeKey(number: number): string {
  return `agent:main:telegram:dm:${number}`;
}

function at(number: number): number {
  return BENCH_EPOCH_MS + number * 60_000;
}

function conversation(number: number) {
  return {
    id: sessionId(number).replace("s", "c"),
    lineage: "root" as const,
    source: number % 3 === 0 ? "telegram" : "cli",
    createdMs: at(number),
    activeMs: at(number),
    first: {
      id: sessionId(number),
      createdMs: at(number),
      title: `project ${number}`,
      model: "demo",
      openings: [{ platform: "cli", openedMs: at(number), closedMs: at(number) + 60_000, reason: "cli_close" }],
    },
  };
}

function route(number: number, conversations: number) {
  return {
    key: routeKey(number),
    session: sessionId(number % conversations),
    platform: "telegram",
    chatType: "dm",
    createdMs: at(number),
    usedMs: at(number),
    policy: { mode: "idle" as const, idleMinutes: 1440 },
  };
}

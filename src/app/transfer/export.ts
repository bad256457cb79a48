/** Exports: a selection of conversations, in one of three forms, to wherever the caller wants them. */
import type { SessionStore } from "#session/store.js";
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";
import { htmlRendering } from "./export-html.js";
import { jsonlRendering } from "./export-jsonl.js";
import { markdownRendering } from "./export-markdown.js";
import { type Leaving, messagePages, type Selection, selected } from "./source.js";

export const EXPORT_FORMATS = ["jsonl", "md", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** One form of export, as pieces of text in the order in which they stand in the file. */
export interface Rendering {
  /** `first` is the conversation that the file begins with. */
  begin(first: ConversationCard): string;
  conversation(leaving: Leaving, pages: AsyncIterable<readonly HistoryRow[]>): AsyncIterable<string>;
  end(): string;
}

/** Where an export goes: one file for all conversations, or one for each. */
export interface Outlet {
  /** Where this conversation's text goes; the same place as before while it stays the same object. */
  open(card: ConversationCard): Promise<Place>;
  /** After the last one, or after a failure. */
  close(isWhole: boolean): Promise<void>;
}

export interface Place {
  write(text: string): Promise<void>;
  /** True when the next conversation gets a place of its own. */
  readonly isOwn: boolean;
  finish(): Promise<void>;
}

export interface ExportOptions {
  readonly selection: Selection;
  readonly format: ExportFormat;
  readonly isRedacted: boolean;
  /** For people's eyes; the lossless form always has everything. */
  readonly withSuperseded: boolean;
  readonly signal: AbortSignal;
  onMessages?(count: number): void;
}

export interface Exported {
  readonly conversations: number;
  readonly messages: number;
}

const RENDERINGS: Readonly<Record<ExportFormat, (options: { readonly isRedacted: boolean }) => Rendering>> = {
  jsonl: jsonlRendering,
  md: markdownRendering,
  html: htmlRendering,
};

export async function exportConversations(
  store: SessionStore,
  options: ExportOptions,
  outlet: Outlet,
): Promise<Exported> {
  const rendering = RENDERINGS[options.format](options);
  let isWhole = false;
  try {
    const exported = await writeAll(store, options, rendering, outlet);
    isWhole = true;
    return exported;
  } finally {
    await outlet.close(isWhole);
  }
}

async function writeAll(
  store: SessionStore,
  options: ExportOptions,
  rendering: Rendering,
  outlet: Outlet,
): Promise<Exported> {
  const { selection, isRedacted, signal } = options;
  const withSuperseded = options.withSuperseded || options.format === "jsonl";
  let place: Place | undefined;
  let conversations = 0;
  let messages = 0;
  const counted = async function* (card: ConversationCard): AsyncGenerator<readonly HistoryRow[]> {
    for await (const page of messagePages(store, card.id, { withSuperseded, isRedacted })) {
      signal.throwIfAborted();
      yield page;
      messages += page.length;
      options.onMessages?.(messages);
    }
  };
  for await (const leaving of selected(store, selection, isRedacted)) {
    if (place === undefined || place.isOwn) {
      place = await outlet.open(leaving.card);
      await place.write(rendering.begin(leaving.card));
    }
    for await (const text of rendering.conversation(leaving, counted(leaving.card))) await place.write(text);
    conversations++;
    if (place.isOwn) {
      await place.write(rendering.end());
      await place.finish();
    }
  }
  if (place !== undefined && !place.isOwn) {
    await place.write(rendering.end());
    await place.finish();
  }
  return { conversations, messages };
}

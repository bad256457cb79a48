/**
 * `session_search`: what was said in other conversations. Three ways: discover (something was said somewhere), scroll
 * (the messages around a place) and browse (what there is). Reads the store and calls no model.
 *
 * - [TC-50] A person's conversations are found for that person only; the owner of the home finds all. In company nobody's
 *   are: what is found there is read by everybody, whoever asked.
 */
import { z } from "zod";
import { truncate, visible } from "#base/text-width.js";
import { HOME_OWNER } from "#session/person.js";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../tool.js";
import { browse } from "./browse.js";
import { discover } from "./discover.js";
import { type Reach, SCROLL_MESSAGES_MAX, type SessionReader } from "./reach.js";
import { scroll } from "./scroll.js";

const input = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Words that were said. word* finds beginnings, ~part finds parts, "exact phrase", -not.'),
  session: z.string().trim().min(1).max(200).optional().describe("Id or title of a conversation to read in."),
  around: z.number().int().min(0).optional().describe("With session: the number (#) of the message to read around."),
  limit: z.number().int().min(1).max(SCROLL_MESSAGES_MAX).optional().describe("Conversations, or messages, wanted."),
});

type Wish = z.infer<typeof input>;

export function createSessionSearch(store: SessionReader): Tool {
  return defineTool<Wish>({
    name: "session_search",
    description:
      "Recall earlier conversations. With query: conversations in which it was said. With session (and around): the " +
      "messages there. With neither: the most recent conversations. Use it when something earlier is referred to.",
    input,
    effect: "read-only",
    limits: { timeMs: 15_000, outputChars: 40_000 },
    summary: ({ query, session, around }) => truncate(visible(`recall ${summaryOf({ query, session, around })}`), 100),
    run: (wish, context) => recall(store, wish, context),
  });
}

async function recall(store: SessionReader, wish: Wish, { conversation }: ToolContext): Promise<ToolResult> {
  const card = await store.show({ conversation });
  if (card === null)
    return { kind: "error", text: "This conversation is not stored, so nobody can say what it may read." };
  if (await store.inCompany({ conversation })) {
    return {
      kind: "error",
      text: "Several people talk in this conversation, so what they said elsewhere is not recalled.",
    };
  }
  const reach: Reach = { store, own: conversation, scope: card.owner === HOME_OWNER ? {} : { owner: card.owner } };
  if (wish.session !== undefined) return scroll(reach, { ...wish, session: wish.session });
  if (wish.around !== undefined) return { kind: "error", text: "around needs session: the conversation to read in." };
  return wish.query === undefined ? browse(reach, wish.limit) : discover(reach, wish.query, wish.limit);
}

function summaryOf({ query, session, around }: Pick<Wish, "query" | "session" | "around">): string {
  const place = session === undefined ? "" : `${session}${around === undefined ? "" : ` #${around}`}`;
  return [query && `"${query}"`, place && `in ${place}`].filter(Boolean).join(" ") || "recent conversations";
}

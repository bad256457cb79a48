/**
 * What is said over the console's socket: one JSON object a line, both ways. A line that is no JSON object is taken for
 * words typed by a person, so that `nc -U` is a client.
 */
import { z } from "zod";

/** A longer line ends the connection: nobody types that. */
export const LINE_CHARS_MAX = 1_000_000;
const NAME_CHARS_MAX = 200;

const name = z.string().min(1).max(NAME_CHARS_MAX);

/** Somebody says something. The id is the client's and for ever: said again with the same one, it is the same message. */
const say = z.object({
  type: z.literal("say").default("say"),
  id: name,
  /** With `#` in front it is a group. */
  chat: name,
  thread: name.optional(),
  who: name,
  name: name.optional(),
  text: z.string(),
});

/** The client is there to see messages, of one chat or of all; it need not say anything else. */
const hello = z.object({ type: z.literal("hello"), chat: name.optional() });
/** A message was shown to a person. */
const shown = z.object({ type: z.literal("shown"), id: name });
/** It cannot be shown, now or later: there is no such chat at this client. */
const gone = z.object({
  type: z.literal("gone"),
  id: name,
  why: z.string().max(1000).default("there is no such chat"),
});
const press = z.object({ type: z.literal("press"), chat: name, thread: name.optional(), who: name, token: name });

export const FromClient = z.union([hello, shown, gone, press, say]);
export type FromClient = z.output<typeof FromClient>;
export type Said = z.output<typeof say>;
export type Pressed = z.output<typeof press>;

export type ToClient =
  /** What was said under this id is on stable storage. */
  | { readonly type: "kept"; readonly id: string }
  /** It is not: say it again later, under the same id. */
  | { readonly type: "not-kept"; readonly id: string; readonly why: string }
  /** The line made no sense. */
  | { readonly type: "refused"; readonly id?: string; readonly why: string }
  /** To be answered with `shown`; the same id again is the same message. */
  | {
      readonly type: "message";
      readonly id: string;
      readonly chat: string;
      readonly thread?: string;
      readonly text: string;
      readonly buttons?: readonly { readonly label: string; readonly token: string }[];
    }
  /** Another text in place of the message `receipt`; to be answered with `shown`. */
  | {
      readonly type: "edit";
      readonly id: string;
      readonly receipt: string;
      readonly chat: string;
      readonly thread?: string;
      readonly text: string;
    }
  | { readonly type: "answer"; readonly token: string; readonly text: string }
  | { readonly type: "typing"; readonly chat: string; readonly thread?: string };

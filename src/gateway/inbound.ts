/** A message from a chat as an input: its words with what they answer, who speaks, and what came along. */
import type { InputMode } from "#session/input.js";
import { isShared } from "#session/session-key.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { Route } from "#session/verbs/routes.js";
import type { GatewayParts } from "./gateway.js";
import type { Heard } from "./heard.js";
import type { Kept } from "./media.js";
import { spokenBy } from "./speaker.js";
import { RESET_NOTICES } from "./words.js";

export interface Said {
  /** As a hook may have left it. */
  readonly text: string;
  readonly kept: Kept;
  readonly mode: InputMode;
  /** Of the chat, if it has one. */
  readonly route: Route | null;
}

export function inboundOf(
  parts: GatewayParts,
  { account, incoming, address, key }: Heard,
  { text, kept, mode, route }: Said,
): Inbound {
  const { clock, cwd, keyRules } = parts;
  const { chat, sender, quoted, cursor } = incoming;
  const words = [quoted === undefined ? "" : quote(quoted), text, ...kept.notes]
    .filter((part) => part !== "")
    .join("\n");
  // Where several people talk in one conversation each line names its speaker.
  const said = isShared(address, keyRules) && words !== "" ? spokenBy(sender.name ?? sender.id, words) : words;
  return {
    platform: account.kind.name,
    account: account.name,
    eventId: incoming.eventId,
    to: {
      kind: "route",
      key,
      chatType: chat.type,
      policy: account.resetPolicy(chat.type),
      isInUse: hasProcess(parts, route),
      ...(chat.name === undefined ? {} : { name: chat.name }),
    },
    author: { account: sender.id, ...(sender.name === undefined ? {} : { name: sender.name }) },
    text: said.toWellFormed(),
    ...(kept.files.length === 0
      ? {}
      : { body: { attachments: kept.files.map(({ sha256 }) => sha256), files: kept.files } }),
    mode,
    address,
    start: { source: account.kind.name, cwd },
    ...(cursor === undefined ? {} : { cursor }),
    onReset: RESET_NOTICES,
    nowMs: clock.nowMs(),
  };
}

/** [RI-6] What works in the background for a chat keeps it from being put aside. */
function hasProcess({ commands }: GatewayParts, route: Route | null): boolean {
  return route !== null && (commands.processes?.list(route.conversation) ?? []).some(({ isRunning }) => isRunning);
}

const QUOTED_CHARS_MAX = 2_000;

function quote(words: string): string {
  const cut = words.length > QUOTED_CHARS_MAX ? `${words.slice(0, QUOTED_CHARS_MAX).toWellFormed()}…` : words;
  return cut.replace(/^/gm, "> ");
}

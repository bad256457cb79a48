/** A button of a message of ours: only somebody who may speak may press it. */
import type { Press } from "#platform/platform.js";
import type { Access } from "./access/access.js";
import type { AccountLine } from "./account-line.js";
import type { Asked } from "./asked.js";
import { parseApprovalToken } from "./commands/approval-token.js";
import type { ChatCommands } from "./commands/chat-commands.js";

export interface PressParts {
  readonly access: Access;
  readonly chatCommands: ChatCommands;
  readonly asked: Asked;
}

/** Answers what to show. */
export async function pressed(parts: PressParts, { account }: AccountLine, press: Press): Promise<string> {
  const { access, chatCommands, asked } = parts;
  const verdict = await access.judgeSender(account, press.sender);
  if (verdict.kind !== "known") return "This is not for you.";
  const told = await chatCommands.press(account, verdict.person, press);
  const { approval } = parseApprovalToken(press.token) ?? {};
  // A death may have left buttons on a question that is decided: whoever presses one has them taken off.
  if (approval !== undefined) asked.look(approval);
  return told;
}

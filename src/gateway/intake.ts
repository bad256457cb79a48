/**
 * What an account hears, on its way to a stored input [CT-1] [CT-2]: who said it, whether it is meant for us, where it
 * belongs, what came along. It resolves when the store has it, or when it was knowingly left; only then does the
 * adapter acknowledge. Messages of one chat go through one after the other, in the order they came.
 */
import { faultPoint } from "#base/fault.js";
import type { Incoming } from "#platform/platform.js";
import { spellAccount } from "#session/address.js";
import { sessionKey } from "#session/session-key.js";
import type { Access } from "./access/access.js";
import { askedAbout } from "./access/create-access.js";
import type { OwnerChats } from "./access/owner-chat.js";
import type { AccountLine } from "./account-line.js";
import { addressOf } from "./address.js";
import type { ChatCommands } from "./commands/chat-commands.js";
import { type DispatchParts, dispatch } from "./dispatch.js";
import type { Heard } from "./heard.js";
import { RECEIPT_EVERY_MS } from "./receipts.js";
import { Recently } from "./recently.js";

/** What was heard and not kept moves an account's cursor at most so often. */
const CURSOR_EVERY_MS = 60_000;

export interface IntakeParts extends DispatchParts {
  readonly access: Access;
  readonly owners: OwnerChats;
  readonly chatCommands: ChatCommands;
}

export interface Intake {
  message(line: AccountLine, incoming: Incoming): Promise<void>;
}

export function createIntake(parts: IntakeParts): Intake {
  const lanes = new Map<string, Promise<unknown>>();
  const told = new Recently(RECEIPT_EVERY_MS);
  const moved = new Recently(CURSOR_EVERY_MS);
  return {
    message(line, incoming) {
      const { chat } = incoming;
      const lane = JSON.stringify([line.account.kind.name, line.account.name, chat.id, chat.threadId ?? ""]);
      const before = lanes.get(lane) ?? Promise.resolve();
      const done = before.then(
        () => hear(parts, { line, incoming, told, moved }),
        () => hear(parts, { line, incoming, told, moved }),
      );
      lanes.set(lane, done);
      const forget = (): void => {
        if (lanes.get(lane) === done) lanes.delete(lane);
      };
      done.then(forget, forget);
      return done;
    },
  };
}

interface Hearing {
  readonly line: AccountLine;
  readonly incoming: Incoming;
  readonly told: Recently;
  readonly moved: Recently;
}

async function hear(parts: IntakeParts, hearing: Hearing): Promise<void> {
  const { line, incoming } = hearing;
  const { account } = line;
  faultPoint("gateway.heard");
  const address = addressOf(account, incoming.chat, incoming.sender);
  const key = sessionKey(address, parts.keyRules);
  const { eventId } = incoming;
  const asked = askedAbout(account, incoming.sender, parts.clock.nowMs());
  const atMs = parts.clock.monotonicMs();
  const arrival = await parts.store.arrival({ ...asked, routeKey: key, eventId });
  const verdict = await parts.access.judge(account, incoming, arrival.access);
  if (verdict.kind === "stranger") return left(parts, hearing);
  const heard: Heard = { account, incoming, address, key, person: verdict.person };
  if (!isMeantForUs(heard, arrival.route !== null)) return left(parts, hearing);
  await parts.owners.heard(heard);
  if (parts.chatCommands.isCommand(heard)) await parts.chatCommands.take(heard);
  else if (!(await parts.chatCommands.asAnswer(heard, arrival.asked))) {
    const became = await dispatch(parts, { line, heard, arrival, atMs, told: hearing.told });
    if (became === "left") return left(parts, hearing);
  }
  line.counts.received++;
  line.counts.lastReceivedMs = parts.clock.nowMs();
  faultPoint("gateway.kept");
}

/** In company we speak when we are spoken to; a thread in which we talk already is company of ours. */
function isMeantForUs({ account, incoming }: Heard, isTalking: boolean): boolean {
  const { chat, isAddressed } = incoming;
  if (chat.type === "dm" || isAddressed) return true;
  const needsMention = account.chats[chat.id]?.needsMention ?? account.needsMention;
  return !needsMention || (chat.threadId !== undefined && isTalking);
}

/** Not for us, or from nobody we know: how far was read is kept now and then, so that a gap stays small. */
async function left({ store, clock }: IntakeParts, { line, incoming, moved }: Hearing): Promise<void> {
  const { cursor } = incoming;
  if (cursor === undefined) return;
  const of = { platform: line.account.kind.name, account: line.account.name };
  if (!moved.isFirst(`${spellAccount(of)} ${cursor.name}`, clock.monotonicMs())) return;
  await store.keepCursor({ ...of, cursor, nowMs: clock.nowMs() });
}

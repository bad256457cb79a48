/**
 * What an account hears, on its way to a stored input [CT-1] [CT-2]: who said it, whether it is meant for us, where it
 * belongs, what came along. It resolves when the store has it, or when it was knowingly left; only then does the
 * adapter acknowledge. Messages of one chat go through one after the other, in the order they came.
 */
import { faultPoint } from "#base/fault.js";
import type { Incoming } from "#platform/platform.js";
import type { Admission } from "#session/input.js";
import { sessionKey } from "#session/session-key.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { Route } from "#session/verbs/routes.js";
import type { Access } from "./access/access.js";
import type { AccountLine } from "./account-line.js";
import { addressOf } from "./address.js";
import type { ChatCommands } from "./commands/chat-commands.js";
import type { GatewayParts } from "./gateway.js";
import type { Heard } from "./heard.js";
import { inboundOf } from "./inbound.js";
import { keepMedia } from "./media.js";
import type { Previews } from "./previews.js";
import { RECEIPT_EVERY_MS, tellChat, tellWaiting } from "./receipts.js";
import { Recently } from "./recently.js";
import { RECEIPTS } from "./words.js";

/** What was heard and not kept moves an account's cursor at most so often. */
const CURSOR_EVERY_MS = 60_000;

export interface IntakeParts extends GatewayParts {
  readonly access: Access;
  readonly chatCommands: ChatCommands;
  readonly previews: Previews;
  /** The host stops: what is heard is stored and left. */
  isDraining(): boolean;
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
  const verdict = await parts.access.judge(account, incoming);
  if (verdict.kind === "stranger") return left(parts, hearing);
  const address = addressOf(account, incoming.chat, incoming.sender);
  const key = sessionKey(address, parts.keyRules);
  const heard: Heard = { account, incoming, address, key, person: verdict.person };
  const route = await parts.store.route({ key });
  if (!isMeantForUs(heard, route)) return left(parts, hearing);
  if (parts.chatCommands.isCommand(heard)) await parts.chatCommands.take(heard);
  else if (!(await parts.chatCommands.asAnswer(heard))) await dispatch(parts, hearing, { heard, route });
  line.counts.received++;
  line.counts.lastReceivedMs = parts.clock.nowMs();
  faultPoint("gateway.kept");
}

/** In company we speak when we are spoken to; a thread in which we talk already is company of ours. */
function isMeantForUs({ account, incoming }: Heard, route: Route | null): boolean {
  const { chat, isAddressed } = incoming;
  if (chat.type === "dm" || isAddressed) return true;
  const needsMention = account.chats[chat.id]?.needsMention ?? account.needsMention;
  return !needsMention || (chat.threadId !== undefined && route !== null);
}

/** Not for us, or from nobody we know: how far was read is kept now and then, so that a gap stays small. */
async function left({ store, clock }: IntakeParts, { line, incoming, moved }: Hearing): Promise<void> {
  const { cursor } = incoming;
  if (cursor === undefined || !moved.isFirst(`${line.account.kind.name} ${cursor.name}`, clock.monotonicMs())) return;
  const { kind, name } = line.account;
  await store.keepCursor({ platform: kind.name, account: name, cursor, nowMs: clock.nowMs() });
}

interface Spoken {
  readonly heard: Heard;
  readonly route: Route | null;
}

async function dispatch(parts: IntakeParts, hearing: Hearing, { heard, route }: Spoken): Promise<void> {
  const { account, incoming, address, key } = heard;
  const verdict = await parts.beforeDispatch({
    platform: account.kind.name,
    address,
    text: incoming.text,
    sessionKey: key,
  });
  if (verdict.kind === "skip") {
    parts.log.info("a hook left a message out", { platform: account.kind.name, reason: verdict.reason });
    return left(parts, hearing);
  }
  const kept = await keepMedia(parts, account.kind.limits.mediaIn, incoming.media ?? []);
  const text = verdict.kind === "rewrite" ? verdict.text : incoming.text;
  const mode = account.chats[incoming.chat.id]?.busy ?? account.busy;
  const inbound = inboundOf(parts, heard, { text, kept, mode, route });
  const state = route === null ? "idle" : await parts.live.state(route.conversation);
  if (route !== null) parts.previews.follow(route.conversation, hearing.line, address);
  const admission = await admit(parts, inbound);
  if (admission.kind === "admitted") {
    parts.previews.follow(admission.conversation, hearing.line, address);
    const { conversation } = admission;
    await tellWaiting(parts, hearing.told, { heard, mode, state, isDraining: parts.isDraining(), conversation });
  } else if (admission.kind === "rejected" && admission.reason === "too-long") {
    await tellChat(parts, heard, RECEIPTS.tooLong);
  }
}

/** While the host stops, the store alone: the next host finds it unclaimed and answers it. */
async function admit({ live, store, isDraining }: IntakeParts, inbound: Inbound): Promise<Admission> {
  return isDraining() ? store.admit(inbound) : live.say(inbound);
}

/** Commands between their row and their answer: kept, begun once by this host, found again after a death. */
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { ChatCommandId } from "#base/ids.js";
import { parseLine } from "#command/parse.js";
import type { Access } from "../access/access.js";
import type { GatewayParts } from "../gateway.js";
import type { Heard } from "../heard.js";
import { tellChat } from "../receipts.js";
import { Recently } from "../recently.js";
import { RECEIPTS } from "../words.js";
import { createLanes, type Lanes } from "./lanes.js";
import { standingOf } from "./menu.js";
import { runCommand } from "./run-command.js";
import { type Spoken, spokenBefore, spokenNow } from "./spoken.js";

/** Of all chats; what is beyond waits for the next start. */
const RECOVERED_MAX = 10_000;
const FULL_EVERY_MS = 60_000;

export interface Desk {
  readonly parts: GatewayParts;
  readonly access: Access;
  readonly lanes: Lanes;
  /** Begun by this host, or left by it for the next: nothing of it is begun a second time here. */
  readonly underWay: Set<ChatCommandId>;
  /** Chats that heard of late that they wait for too many. */
  readonly toldFull: Recently;
}

export function openDesk(parts: GatewayParts, access: Access): Desk {
  const toldFull = new Recently(FULL_EVERY_MS);
  return { parts, access, lanes: createLanes(parts.clock), underWay: new Set(), toldFull };
}

/** What was said after a command comes after it: `/new` must not withdraw the message that follows it. */
export async function commandsOver(desk: Desk, key: string): Promise<void> {
  await recover(desk, key);
  await desk.lanes.quickOver(key);
}

/** True when the event is a command, now or before. */
export async function keep(desk: Desk, heard: Heard, line: string): Promise<boolean> {
  const { store, clock, log } = desk.parts;
  const { account, incoming, address, key, person } = heard;
  const admitted = await store.admitCommand({
    platform: account.kind.name,
    account: account.name,
    eventId: incoming.eventId,
    routeKey: key,
    address,
    author: person.id,
    line,
    nowMs: clock.nowMs(),
  });
  switch (admitted.kind) {
    case "new":
      faultPoint("chat.command-stored");
      start(desk, spokenNow(heard, admitted.command, line));
      return true;
    case "duplicate":
      return true;
    case "full":
    case "too-long":
      log.warn("a command was left", { platform: account.kind.name, why: admitted.kind });
      if (admitted.kind === "full") await tellFull(desk, heard);
      return admitted.kind === "full";
  }
}

/** [GW-6] What is left is not left in silence; and who sends that many is not told that many times. */
async function tellFull({ parts, toldFull }: Desk, heard: Heard): Promise<void> {
  const nowMs = parts.clock.monotonicMs();
  if (toldFull.has(heard.key, nowMs)) return;
  await tellChat(parts, heard, RECEIPTS.full);
  toldFull.isFirst(heard.key, nowMs);
}

/** Nobody waits for it. A store that takes nothing leaves the row to the next host; anything else is a bug and ends this one. */
function start({ parts, lanes, underWay }: Desk, spoken: Spoken): void {
  if (underWay.has(spoken.command)) return;
  underWay.add(spoken.command);
  const act = async (): Promise<void> => {
    try {
      if ((await runCommand(parts, spoken)) === "over") underWay.delete(spoken.command);
    } catch (error) {
      if (!(error instanceof OperationalError)) throw error;
      parts.log.error("a command has no answer yet", { command: spoken.command, error: error.message });
    }
  };
  void lanes.run(spoken.key, isQuick(parts, spoken), act);
}

/** Of one chat, or of all. */
export async function recover(desk: Desk, key?: string): Promise<void> {
  const { parts, access, underWay } = desk;
  const { store, clock } = parts;
  for (const row of await store.openCommands({
    ...(key === undefined ? {} : { routeKey: key }),
    limit: RECOVERED_MAX,
  })) {
    if (underWay.has(row.id)) continue;
    const spoken = await spokenBefore(row, parts.accounts, access);
    if (spoken !== undefined) start(desk, spoken);
    else {
      const outcome = { kind: "dead", reason: "who said it may not speak here any more" } as const;
      await store.finishCommand({ command: row.id, outcome, parts: [], nowMs: clock.nowMs() });
    }
  }
}

/** A command that works while a turn runs answers in time; any other may take as long as a model does. */
function isQuick(parts: GatewayParts, { line, person }: Spoken): boolean {
  const parsed = parseLine(line, standingOf(parts, person));
  return parsed.kind !== "command" || parsed.command.whileBusy === true;
}

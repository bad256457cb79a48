/**
 * What the owner's own chat is told about a message that will never arrive [CT-3]: made before the row ends, so that
 * both are one commit, and remembered after it, so that a store that was away costs no notice.
 */
import type { Clock } from "#base/clock.js";
import { type Address, destinationOf, MAIN_ACCOUNT } from "#session/address.js";
import type { DeadNotice, DueDelivery } from "#session/verbs/outbox.js";
import type { Account } from "./gateway.js";
import { Recently } from "./recently.js";

const SAMPLE_CHARS = 200;
/** A long reply to somebody who has left is one loss, however many parts it had. */
const TOLD_EVERY_MS = 600_000;

export interface DeadNotices {
  /** What goes into the commit; undefined where nobody is to be told, or was told already. */
  of(due: DueDelivery, why: string): DeadNotice | undefined;
  /** That commit is made. */
  kept(due: DueDelivery): void;
}

export function createDeadNotices({
  accounts,
  clock,
}: {
  readonly accounts: readonly Account[];
  readonly clock: Clock;
}): DeadNotices {
  const told = new Recently(TOLD_EVERY_MS);
  return {
    of(due, why) {
      const { address, conversation } = due;
      // What was owed to a home chat and is nobody's words was such a notice itself: telling of it would never end.
      if (conversation === null && accounts.some((one) => isHome(one, address))) return undefined;
      const account = tellerOf(accounts, address);
      if (account?.homeChat === undefined || told.has(destinationOf(address), clock.monotonicMs())) return undefined;
      const { kind, name, homeChat } = account;
      return {
        platform: kind.name,
        address: { platform: kind.name, account: name, chatType: "dm", chatId: homeChat },
        text: noticeText(due, why),
      };
    },
    kept(due) {
      told.isFirst(destinationOf(due.address), clock.monotonicMs());
    },
  };
}

/** [GW-23] What one account owes never shows by another of its platform: its own tells it, or another platform. */
function tellerOf(accounts: readonly Account[], address: Address): Account | undefined {
  const { platform, account = MAIN_ACCOUNT } = address;
  const homes = accounts.filter((one) => one.homeChat !== undefined && !isHome(one, address));
  const own = homes.find(({ kind, name }) => kind.name === platform && name === account);
  return own ?? homes.find(({ kind }) => kind.name !== platform);
}

function isHome({ kind, name, homeChat }: Account, { platform, account = MAIN_ACCOUNT, chatId }: Address): boolean {
  return kind.name === platform && name === account && homeChat === chatId;
}

function noticeText({ platform, address, conversation, text }: DueDelivery, why: string): string {
  const whom = address.userName ?? address.chatName ?? address.chatId ?? "somebody";
  const whole = conversation === null ? "" : ` All of it: talaria sessions show ${conversation}.`;
  const sample = text.slice(0, SAMPLE_CHARS).toWellFormed().replaceAll("\n", "\n> ");
  return `A message to ${whom} on ${platform} could not be delivered: ${why}.${whole}\n> ${sample}`;
}

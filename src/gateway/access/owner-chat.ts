/**
 * Where the owner of the home can be reached: in the direct chat of an account in which an owner wrote last. Kept when
 * they write, judged again when it is needed: who is no owner any more is told nothing. What one account hears does not
 * show by another [GW-23], so each has its own.
 */
import type { Clock } from "#base/clock.js";
import { type Address, destinationOf, MAIN_ACCOUNT } from "#session/address.js";
import type { SessionStore } from "#session/store.js";
import { senderOf } from "../address.js";
import type { Account } from "../gateway.js";
import type { Heard } from "../heard.js";
import { createAccess } from "./create-access.js";

/** How an owner comes to see what is asked in a chat. */
export type OwnerReach =
  /** It is their own, or one with several people, where they may be. */
  { readonly kind: "there" } | { readonly kind: "elsewhere"; readonly address: Address } | { readonly kind: "nowhere" };

export interface OwnerChatParts {
  readonly store: SessionStore;
  readonly clock: Clock;
}

export interface OwnerChats {
  /** Remembers where an owner writes. The store hears of it when that is another place than before. */
  heard(heard: Heard): Promise<void>;
}

export function createOwnerChats({ store, clock }: OwnerChatParts): OwnerChats {
  const newest = new Map<Account, string>();
  return {
    async heard({ account, address, person }) {
      if (person.role !== "owner" || address.chatType !== "dm") return;
      const destination = destinationOf(address);
      if (newest.get(account) === destination) return;
      await store.keepOwnerChat({ address, nowMs: clock.nowMs() });
      newest.set(account, destination);
    },
  };
}

export async function reachOwner(
  parts: OwnerChatParts & { readonly accounts: readonly Account[] },
  asked: Address,
): Promise<OwnerReach> {
  const { platform, account: name = MAIN_ACCOUNT } = asked;
  const account = parts.accounts.find((one) => one.kind.name === platform && one.name === name);
  if (asked.chatType !== "dm" || (await isOwners(parts, account, asked))) return { kind: "there" };
  const address = await parts.store.ownerChat({ platform, account: name });
  if (address === null || !(await isOwners(parts, account, address))) return { kind: "nowhere" };
  return { kind: "elsewhere", address };
}

/** False also where the account is gone: nobody knows any more who owns what there. */
async function isOwners(parts: OwnerChatParts, account: Account | undefined, address: Address): Promise<boolean> {
  const sender = senderOf(address);
  if (account === undefined || sender === undefined) return false;
  const verdict = await createAccess(parts).judgeSender(account, sender);
  return verdict.kind === "known" && verdict.person.role === "owner";
}

/**
 * Access, closed by default: whoever the configuration names or a pairing let in is a person here; everybody else is a
 * stranger, of whom nothing is kept but the pairing itself. What was granted is asked of the store every time, so that a
 * revocation holds from the next message on.
 */
import type { Clock } from "#base/clock.js";
import { randomText } from "#base/random.js";
import type { PersonRole } from "#command/command.js";
import type { Incoming, Sender } from "#platform/platform.js";
import { PAIRING_ALPHABET, PAIRING_CODE_CHARS } from "#session/pairing.js";
import type { SessionStore, VerbArgs } from "#session/store.js";
import type { AccessFacts } from "#session/verbs/chat.js";
import { addressOf } from "../address.js";
import type { Account } from "../gateway.js";
import type { Access, Verdict } from "./access.js";
import { EVERYBODY, isListed, lastingId } from "./matches.js";

export interface AccessParts {
  readonly store: SessionStore;
  readonly clock: Clock;
}

export function createAccess(parts: AccessParts): Access {
  return {
    async judge(account, incoming, seen) {
      const { sender } = incoming;
      const facts = seen ?? (await factsOf(parts, account, sender));
      const verdict = await judged(parts, account, { sender, facts });
      if (verdict.kind === "stranger" && facts.mayPair) await offer(parts, account, incoming);
      return verdict;
    },
    async judgeSender(account, sender) {
      return judged(parts, account, { sender, facts: await factsOf(parts, account, sender) });
    },
  };
}

/** What the store is asked about a sender. */
export function askedAbout(account: Account, sender: Sender, nowMs: number): VerbArgs<"access"> {
  return {
    platform: account.kind.name,
    account: account.name,
    sender: sender.id,
    ...(sender.altId === undefined || sender.altId === "" ? {} : { altId: sender.altId }),
    nowMs,
  };
}

async function factsOf({ store, clock }: AccessParts, account: Account, sender: Sender): Promise<AccessFacts> {
  return store.access(askedAbout(account, sender, clock.nowMs()));
}

interface Presented {
  readonly sender: Sender;
  readonly facts: AccessFacts;
}

async function judged(parts: AccessParts, account: Account, { sender, facts }: Presented): Promise<Verdict> {
  const role = sender.id === "" ? undefined : roleOf(account, sender, facts);
  if (role === undefined) return { kind: "stranger" };
  const { id, name } = facts.person ?? { ...(await makeKnown(parts, account, sender)), name: null };
  const called = sender.name ?? name ?? undefined;
  return { kind: "known", person: { id, role, ...(called === undefined ? {} : { name: called }) } };
}

/** Undefined: they may not speak. */
function roleOf(account: Account, sender: Sender, { granted }: AccessFacts): PersonRole | undefined {
  if (granted === "owner" || isListed(account.owners, sender)) return "owner";
  const mayEverybody = account.allow.includes(EVERYBODY);
  return granted !== null || mayEverybody || isListed(account.allow, sender) ? "member" : undefined;
}

async function makeKnown({ store, clock }: AccessParts, account: Account, sender: Sender) {
  return store.person({
    platform: account.kind.name,
    account: account.name,
    sender: sender.id,
    ...(sender.name === undefined ? {} : { name: sender.name }),
    nowMs: clock.nowMs(),
  });
}

/** [GW] Only where nobody else listens: a code in a group would be anybody's. */
async function offer({ store, clock }: AccessParts, account: Account, incoming: Incoming): Promise<void> {
  const { chat, sender } = incoming;
  if (!account.pairing || chat.type !== "dm" || sender.id === "") return;
  await store.offerPairing({
    platform: account.kind.name,
    account: account.name,
    sender: lastingId(sender),
    ...(sender.name === undefined ? {} : { name: sender.name }),
    address: addressOf(account, chat, sender),
    code: randomText(PAIRING_ALPHABET, PAIRING_CODE_CHARS),
    nowMs: clock.nowMs(),
  });
}

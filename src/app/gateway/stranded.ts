/**
 * Messages that wait for an account which nothing is set up to be: no other account sends them [GW-23], so they wait for
 * ever unless somebody hears of it. Read from what is open in the outbox; what was sent is not looked at.
 */
import { MAIN_ACCOUNT, type PlatformAccount, spellAccount } from "#session/address.js";
import type { OutboxStanding } from "#session/verbs/outbox.js";

export interface Stranded extends PlatformAccount {
  readonly count: number;
}

export function strandedIn(
  { open }: Pick<OutboxStanding, "open">,
  accounts: readonly PlatformAccount[],
): readonly Stranded[] {
  const here = new Set(accounts.map(spellAccount));
  return open.flatMap(({ platform, account, pending, sending, unknown }) => {
    const count = pending + sending + unknown;
    return count === 0 || here.has(spellAccount({ platform, account })) ? [] : [{ platform, account, count }];
  });
}

export function strandedText(one: Stranded): string {
  const many = one.count === 1 ? "1 message waits" : `${one.count} messages wait`;
  return `${many} for ${spellAccount(one)}, which is not set up here: no other account sends them`;
}

export function strandedAdvice({ platform, account }: PlatformAccount): string {
  const place = account === MAIN_ACCOUNT ? `platforms.${platform}` : `platforms.${platform}.accounts.${account}`;
  return `put ${place} back (talaria config edit), then: talaria gateway restart`;
}

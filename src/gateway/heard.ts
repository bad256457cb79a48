/** A message from somebody who may speak, with everything that was found out about it on the way. */
import type { PersonId } from "#base/ids.js";
import type { PersonRole } from "#command/command.js";
import type { Incoming } from "#platform/platform.js";
import type { Address } from "#session/address.js";
import type { Account } from "./gateway.js";

export interface Heard {
  readonly account: Account;
  readonly incoming: Incoming;
  readonly address: Address;
  /** The session key of the place. */
  readonly key: string;
  readonly person: KnownPerson;
}

export interface KnownPerson {
  readonly id: PersonId;
  readonly role: PersonRole;
  readonly name?: string;
}

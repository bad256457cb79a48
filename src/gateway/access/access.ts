/** Who may speak: decided on stable ids before anything else happens with a message, closed by default. */
import type { Incoming, Sender } from "#platform/platform.js";
import type { AccessFacts } from "#session/verbs/chat.js";
import type { Account } from "../gateway.js";
import type { KnownPerson } from "../heard.js";

export type Verdict =
  | { readonly kind: "known"; readonly person: KnownPerson }
  /** Nothing is said to them, and nothing of theirs is kept. */
  | { readonly kind: "stranger" };

export interface Access {
  /** Of a message; a stranger in a direct chat is offered a pairing code, once [GW]. `facts`: what the store was just asked. */
  judge(account: Account, incoming: Incoming, facts?: AccessFacts): Promise<Verdict>;
  /** Of somebody who pressed a button: no code is offered. */
  judgeSender(account: Account, sender: Sender): Promise<Verdict>;
}

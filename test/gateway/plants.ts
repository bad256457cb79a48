/** Bugs of a gateway to be found, as changes to the text of a staged copy, and the scenario that finds each. */
import { PLANTS, type Plant } from "../chaos/plants.js";
import {
  killedWhenTaken,
  killedWhileGrowing,
  type Scenario,
  saidTwice,
  saidWhileStopping,
  sentAndUnheard,
  threeChats,
} from "./scenarios.js";

export interface GatewayPlant extends Plant {
  readonly scenario: Scenario;
  /** What it is found by. */
  readonly found: RegExp;
}

export const GATEWAY_PLANTS: Readonly<Record<string, GatewayPlant>> = {
  earlyAck: {
    name: "early acknowledgement",
    what: "lets the platform forget a message that is not stored yet",
    changes: [
      [
        "for (const [at, update] of updates.entries()) {",
        "for (const [at, update] of [].entries()) void at; for (const update of updates) setTimeout(() => take(update), 600000); for (const [at, update] of [].entries()) {",
      ],
    ],
    scenario: killedWhenTaken,
    found: /was acknowledged and is not stored/,
  },
  noMark: {
    name: "no mark",
    what: "sends a second copy as if it were the first",
    changes: [["text: isMarked ? `", "text: isMarked && due.id === `` ? `"]],
    scenario: sentAndUnheard,
    found: /times without a mark/,
  },
  lostPreview: {
    name: "lost preview",
    what: "does not remember which message shows a growing answer",
    changes: [["await this.#parts.store.keepPreview({ turn, receipt: outcome.receipt });", ""]],
    scenario: killedWhileGrowing,
    found: /the answer is 2 messages/,
  },
  forgetfulInbox: {
    ...PLANTS.forgetfulInbox,
    scenario: saidTwice,
    found: /an event stored twice|inputs are stored of/,
  },
  deafWhenStopping: {
    name: "deaf when stopping",
    what: "acknowledges what comes while it stops, and keeps nothing of it",
    changes: [
      [
        "return isDraining() ? store.admit(inbound) : live.say(inbound);",
        "return isDraining() ? { kind: `duplicate` } : live.say(inbound);",
      ],
    ],
    scenario: saidWhileStopping,
    found: /never saw an answer/,
  },
  oneAddress: {
    name: "one address",
    what: "answers whoever was answered first",
    changes: [["place: placeOf(due.address),", "place: globalThis.first ??= placeOf(due.address),"]],
    scenario: threeChats,
    found: /shows words of another/,
  },
};

/**
 * The contract of a session store: every implementation runs this suite, and a new one is done when it passes.
 * It speaks through the port alone; what an implementation can do beyond it (open its files again, refuse a title) it is
 * asked for by `StoreUnderTest`, and a promise that needs it is skipped where it cannot.
 */
import { describe } from "vitest";
import type { OpenStore } from "../../test/support/scenario.js";
import { describeApprovals } from "./contract/approvals.contract.js";
import { describeArrival } from "./contract/arrival.contract.js";
import { describeBalance } from "./contract/balance.contract.js";
import { describeCare } from "./contract/care.contract.js";
import { describeChats } from "./contract/chat.contract.js";
import { describeClaims } from "./contract/claims.contract.js";
import { describeCommit } from "./contract/commit.contract.js";
import { describeEdges } from "./contract/edges.contract.js";
import { describeIntake } from "./contract/intake.contract.js";
import { describeLifecycle } from "./contract/lifecycle.contract.js";
import { describeOutbox } from "./contract/outbox.contract.js";
import { describeReading } from "./contract/reading.contract.js";
import { describeRemoval } from "./contract/removal.contract.js";
import { describeRotation } from "./contract/rotation.contract.js";
import { describeRoutes } from "./contract/routes.contract.js";
import { describeSeed } from "./contract/seed.contract.js";
import { describeSettings } from "./contract/settings.contract.js";
import { describeSettlement } from "./contract/settlement.contract.js";
import { describeTurns } from "./contract/turns.contract.js";
import { describeWatched } from "./contract/watched.contract.js";

const CHAPTERS: readonly [string, (open: OpenStore) => void][] = [
  ["intake", describeIntake],
  ["turns", describeTurns],
  ["claims", describeClaims],
  ["approvals", describeApprovals],
  ["settlement", describeSettlement],
  ["lifecycle", describeLifecycle],
  ["settings", describeSettings],
  ["rotation", describeRotation],
  ["removal", describeRemoval],
  ["seed", describeSeed],
  ["routes", describeRoutes],
  ["outbox", describeOutbox],
  ["edges", describeEdges],
  ["watched", describeWatched],
  ["reading", describeReading],
  ["care", describeCare],
  ["chats", describeChats],
  ["a message that arrives", describeArrival],
  ["commits", describeCommit],
  ["balance", describeBalance],
];

export function describeSessionStore(name: string, open: OpenStore): void {
  describe(`${name} keeps the store contract`, () => {
    for (const [noun, chapter] of CHAPTERS) describe(noun, () => chapter(open));
  });
}

/** Every verb of the port by name: the whole of what can happen to a store. */
import type { StoreVerbs } from "#session/store.js";
import type { VerbTable } from "./tx.js";
import { approvalVerbs } from "./verbs/approvals.js";
import { arrivalVerbs } from "./verbs/arrival.js";
import { careVerbs } from "./verbs/care.js";
import { chatVerbs } from "./verbs/chat.js";
import { intakeVerbs } from "./verbs/intake.js";
import { lifecycleVerbs } from "./verbs/lifecycle.js";
import { outboxVerbs } from "./verbs/outbox.js";
import { readingVerbs } from "./verbs/reading.js";
import { recoveryVerbs } from "./verbs/recovery.js";
import { routeVerbs } from "./verbs/routes.js";
import { turnVerbs } from "./verbs/turns.js";

export const VERBS: VerbTable<StoreVerbs> = {
  ...intakeVerbs,
  ...turnVerbs,
  ...approvalVerbs,
  ...recoveryVerbs,
  ...lifecycleVerbs,
  ...routeVerbs,
  ...outboxVerbs,
  ...readingVerbs,
  ...careVerbs,
  ...chatVerbs,
  ...arrivalVerbs,
};

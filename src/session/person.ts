/** People by their durable ids. */
import type { PersonId } from "#base/ids.js";

/** Whoever sits at the terminal of this home; in every store from its first day. */
export const HOME_OWNER = "owner" as PersonId;

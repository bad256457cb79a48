/** A bug of the turn as a change to the text of a staged copy, and the scenario that has to see it. */
import type { Plant } from "../../chaos/plants.js";
import type { Scenario } from "../scenario.js";

export interface TurnPlant extends Plant {
  readonly scenario: Scenario;
  /** What the scenario says of it: another complaint would have found another bug. */
  readonly found: RegExp;
}

/** stub */
import type { Clock } from "#base/clock.js";
import type { Model } from "./model.js";
export function createDemoModel(_clock: Clock): Model {
  throw new Error("stub");
}

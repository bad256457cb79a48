/**
 * Bugs of the turn to be found, as changes to the text of a staged copy of the whole program; the product has no switch
 * for any of them. Each names the scenario that has to see it and what the scenario says.
 */
import { CALL_PLANTS } from "./plants/calls.js";
import type { TurnPlant } from "./plants/plant.js";
import { TURN_PLANTS } from "./plants/turns.js";

export const ALL_TURN_PLANTS: Readonly<Record<string, TurnPlant>> = { ...CALL_PLANTS, ...TURN_PLANTS };

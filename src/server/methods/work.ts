/** What runs beside a turn. */
import type { HandlersOf } from "../handler.js";

export const workHandlers: HandlersOf<"process.stop" | "delegation.status" | "pet.cells"> = {
  "process.stop": async ({ machine }) => ({ killed: await machine.stopProcesses() }),
  // A child runs inside its parent's call and is shown there; none has a life of its own that could be listed.
  "delegation.status": () => ({ active: [], paused: false, max_spawn_depth: 1, max_concurrent_children: 1 }),
  "pet.cells": () => ({ enabled: false }),
};

/** Starts the watchdog and never comes back to the event loop. */
import { writeSync } from "node:fs";
import { killAfter } from "#app/host/watchdog.js";

killAfter(1_000);
writeSync(1, "hanging\n");
for (;;);

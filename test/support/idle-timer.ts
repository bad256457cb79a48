/** Plans something for much later and ends: the timer must not keep the process alive. */
import { systemClock } from "#base/clock.js";

systemClock.after(3_600_000, () => process.exit(1));
process.on("exit", () => process.stdout.write("ended\n"));

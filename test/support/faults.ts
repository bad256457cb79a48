/** Passes two fault points in turn and says how far it came. */
import { faultPoint } from "#base/fault.js";

for (let round = 1; round <= 3; round++) {
  faultPoint("one.before");
  process.stdout.write(`before ${round}\n`);
  faultPoint("one.after");
  process.stdout.write(`after ${round}\n`);
}

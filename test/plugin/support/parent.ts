/** A process that opens the plugins of a home, says their process id, makes the calls it is told to, and stays. */
import { openPlugins } from "#app/plugins.js";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { homePaths } from "#config/home.js";

const [root = "", ...tools] = process.argv.slice(2);
const home = homePaths(root);
const log = createLogger({ path: home.logFile, clock: systemClock });
const plugins = await openPlugins({ home, clock: systemClock, log, env: process.env });
await plugins.settled;
for (const name of tools) {
  const tool = plugins.tools.find((one) => one.name === name);
  void tool?.run({}, { signal: new AbortController().signal } as never);
}
process.stdout.write(`${plugins.pid}\n`);
process.stdin.resume();

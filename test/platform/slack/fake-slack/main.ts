/**
 * The fake as a process of its own, for tests that kill and restart the gateway:
 *
 *   node scripts/run-ts.mjs test/platform/slack/fake-slack/main.ts [--port 0] [--until-eof]
 *
 * The first line on stdout is `{"url": …, "settings": {…}, "httpSettings": {…}}`; `control.ts` says what it can be asked.
 */
import { parseArgs } from "node:util";
import { startFakeSlack } from "./fake-slack.js";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, "until-eof": { type: "boolean", default: false } },
});
const fake = await startFakeSlack(Number(values.port));
const { url, settings, httpSettings } = fake;
process.stdout.write(`${JSON.stringify({ url, settings, httpSettings })}\n`);
if (values["until-eof"]) {
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

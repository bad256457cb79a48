/**
 * The fake Telegram as a process of its own, for tests that kill and restart the gateway:
 *
 *   node scripts/run-ts.mjs test/platform/telegram/main.ts [--port 0] [--until-eof]
 *
 * The first line on stdout is `{"url": …, "token": …}`: the `api_root` and the token to configure. `fake-control.ts` lists
 * what `/control/…` does. It ends by a signal, or when its stdin closes and `--until-eof` was given.
 */
import { parseArgs } from "node:util";
import { startFakeTelegram } from "./fake-telegram.js";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, "until-eof": { type: "boolean", default: false } },
});
const fake = await startFakeTelegram({ port: Number(values.port) });
process.stdout.write(`${JSON.stringify({ url: fake.apiRoot, token: fake.token })}\n`);
if (values["until-eof"]) {
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

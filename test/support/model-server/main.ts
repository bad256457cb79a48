/**
 * The model server as a process of its own, for tests that kill and restart its clients:
 *
 *   node scripts/run-ts.mjs test/support/model-server/main.ts --script replies.json --port 0 [--canned] [--model NAME]
 *
 * The first line on stdout is `{"url": …}`. The script is a reply or a list of replies (`rules.ts` says which answers).
 * `GET /__requests` counts and lists what was asked, `GET /__requests?bodies=1` with the bodies. `GET /__go` lets streams
 * go on that `holdAfter` has stopped, `GET /__hold` stops the next ones again, `GET /__held` answers when one is stopped.
 * It ends by a signal, or when its stdin closes and `--until-eof` was given.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseScript } from "./rules.js";
import { startModelServer } from "./server.js";

const { values } = parseArgs({
  options: {
    script: { type: "string" },
    port: { type: "string", default: "0" },
    canned: { type: "boolean", default: false },
    model: { type: "string", multiple: true },
    "until-eof": { type: "boolean", default: false },
  },
});

const script = values.script === undefined ? [{ text: "hello" }] : parseScript(readFileSync(values.script, "utf8"));
const server = await startModelServer({
  script,
  port: Number(values.port),
  isCanned: values.canned,
  ...(values.model === undefined ? {} : { models: values.model }),
});
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
if (values["until-eof"]) {
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

/**
 * The fake Discord as a process of its own, for tests that kill and restart the gateway:
 *
 *   node scripts/run-ts.mjs test/platform/discord/fake-discord/main.ts --port 0 [--until-eof]
 *
 * The first line on stdout is `{"url": …, "apiRoot": …, "token": …}`. What people do there is asked for at `/__control`:
 *
 *   POST /__control/say      {text, chat?, who?, isMention?, isUntold?}   answers {id}
 *   GET  /__control/shown?chat=dm                                         answers what people see, in order
 *   POST /__control/press    {chat, label}                                answers {text}
 *   POST /__control/command  {chat, name, args?}                          answers {text}
 *   POST /__control/fail     {fault, times?}                              the next sends
 *   POST /__control/line     {act: "cut" | "forget" | "reconnect" | "repeat" | "zombie" | "alive"}
 *   GET  /__control/counts                                                answers identifies, resumes, lines, requests
 */
import { parseArgs } from "node:util";
import { answerControl } from "./control.js";
import { FAKE_TOKEN, startFakeDiscord } from "./server.js";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, "until-eof": { type: "boolean", default: false } },
});

const fake = await startFakeDiscord({ port: Number(values.port), control: answerControl });
process.stdout.write(`${JSON.stringify({ url: fake.url, apiRoot: fake.apiRoot, token: FAKE_TOKEN })}\n`);
if (values["until-eof"]) {
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

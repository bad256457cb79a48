/** `node <this> state.db`: the least a program can do to answer one prompt from the shell and keep it. */
import { openRaw } from "./raw.js";
import { rawRequest } from "./turn-raw.js";

const raw = openRaw(process.argv[2] ?? "");
raw.db.run("INSERT OR IGNORE INTO conversation(no, id, seq, active_ms) VALUES (1, 'one', 0, 0)");
const question = "What is on the list?";
raw.append(1, "user", question);
const body = { model: "canned", stream: true, messages: [{ role: "user", content: question }] };
const { text } = await rawRequest({
  url: `${process.env["OPENAI_BASE_URL"]}/chat/completions`,
  init: { headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
});
raw.append(1, "assistant", text);
process.stdout.write(`${text}\n`);

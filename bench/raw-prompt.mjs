/**
 * `node bench/raw-prompt.mjs state.db`: the least a program can do to answer one prompt from the shell and keep it.
 * Plain JavaScript, so that nothing but Node, the driver and these lines is started.
 */
import { DatabaseSync } from "@photostructure/sqlite";

const db = new DatabaseSync(process.argv[2]);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS message(id INTEGER PRIMARY KEY, role TEXT, text TEXT) STRICT`);
const keep = db.prepare("INSERT INTO message(role, text) VALUES (?, ?)");
const question = "What is on the list?";
keep.run("user", question);
const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "raw", stream: true, messages: [{ role: "user", content: question }] }),
});
const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: {"));
const text = events.map((event) => JSON.parse(event.slice("data: ".length)).choices[0]?.delta.content ?? "").join("");
keep.run("assistant", text);
process.stdout.write(`${text}\n`);

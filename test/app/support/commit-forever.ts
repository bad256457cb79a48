/** Writes pairs of messages, both in one commit, into a store of some megabytes until it is killed. */
import { openInlineStore } from "#store/sqlite/inline-store.js";

const [path = ""] = process.argv.slice(2);
const { store } = openInlineStore({ path });
const session = "session-one";
await store.importConversation({
  id: "conversation-one",
  lineage: "import",
  source: "cli",
  createdMs: 0,
  activeMs: 0,
  first: { id: session, createdMs: 0, openings: [] },
});
let sourceNo = 0;
const pair = (chars: number) =>
  ["question", "answer"].map((text) => ({
    role: text === "question" ? ("user" as const) : ("assistant" as const),
    text: `${text} ${"x".repeat(chars)}`,
    atMs: 0,
    sourceNo: ++sourceNo,
  }));
await store.importMessages({ session, messages: Array.from({ length: 400 }, () => pair(10_000)).flat() });
process.stdout.write("begun\n");
for (;;) {
  await store.importMessages({ session, messages: pair(100) });
  await new Promise((resolve) => setImmediate(resolve));
}

/** Writes the mirror of two thousand routes again and again until it is killed. */
import { writeMirror } from "#app/mirror.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";

const [path = ""] = process.argv.slice(2);
const { store } = openInlineStore();
await store.importConversation({
  id: "conversation-one",
  lineage: "import",
  source: "telegram",
  createdMs: 0,
  activeMs: 0,
  first: { id: "session-one", createdMs: 0, openings: [] },
});
const keys = Array.from({ length: 2_000 }, (_, n) => `agent:main:telegram:dm:${n}`);
await Promise.all(
  keys.map((key) =>
    store.importRoute({ key, session: "session-one", platform: "telegram", chatType: "dm", createdMs: 0, usedMs: 0 }),
  ),
);
for (let round = 0; ; round++) {
  await writeMirror(store, path);
  if (round === 0) process.stdout.write("begun\n");
}

/**
 * Writes, hides and feeds in turn, until it is killed or done: `node feed-search <state.db> <rounds>`. Every round adds
 * two messages to a conversation of its own, undoes those of the round before and deletes the one before that.
 */
import type { ConversationId } from "#base/ids.js";
import { rebuildSearch } from "#store/search/rebuild.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { tell } from "./search.js";

const [path = "", rounds = "6", mode = "feed"] = process.argv.slice(2);
const opened = openInlineStore({ path });
const started = (await opened.store.stats({})).messages;
for (let round = 0; round < Number(rounds); round++) {
  const name = (back: number): string => `${started + round - back}`;
  await tell(opened.store, name(0), [`needle ${name(0)}`, { role: "assistant", text: `answer ${name(0)}` }]);
  const earlier = (back: number): ConversationId => `conversation-${name(back)}` as ConversationId;
  await opened.store.undo({ conversation: earlier(1), turns: 1, reason: "undo", nowMs: 9_000 });
  await opened.store.remove({ conversation: earlier(2), by: "owner", nowMs: 9_000 });
  if (mode === "rebuild") await rebuildSearch({ statePath: path, searchPath: path.replace("state.db", "search.db") });
  else await opened.catchUpSearch();
}
process.stdout.write("done\n");
process.exit(0);

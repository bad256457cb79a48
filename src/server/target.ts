/** Which conversation a client speaks of: one that is stored, or one that was opened and has no row yet. */
import type { ConversationId } from "#base/ids.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { ServerContext } from "./context.js";
import { Refusal } from "./failure.js";
import type { Blank } from "./parts.js";

export type Target =
  | { readonly kind: "blank"; readonly blank: Blank }
  | { readonly kind: "stored"; readonly id: ConversationId };

export async function targetOf(server: ServerContext, sid: string): Promise<Target> {
  const blank = server.blanks.find(sid);
  if (blank !== undefined) return { kind: "blank", blank };
  if (sid !== "") {
    const found = await server.store.resolve({ text: sid });
    if (found.kind === "found" && found.by !== "title") return { kind: "stored", id: found.conversation };
  }
  throw new Refusal("notLive", sid === "" ? "no session was named" : "session not found");
}

/** For methods that need something stored. */
export async function storedOf(server: ServerContext, sid: string): Promise<ConversationId> {
  const target = await targetOf(server, sid);
  if (target.kind === "stored") return target.id;
  throw new Refusal("notLive", "nothing was said in this session yet");
}

export async function cardOf(server: ServerContext, id: ConversationId): Promise<ConversationCard> {
  const card = await server.store.show({ conversation: id });
  if (card === null) throw new Refusal("notFound", "session not found");
  return card;
}

export function startOf(blank: Blank): SessionStart {
  const { source, model, cwd, settings } = blank;
  return { source, cwd, ...(model === undefined ? {} : { model }), settings };
}

/** Where it works. */
export async function cwdOf(server: ServerContext, sid: string | undefined): Promise<string> {
  if (sid === undefined || sid === "") return server.host.cwd;
  const blank = server.blanks.find(sid);
  if (blank !== undefined) return blank.cwd;
  const found = await server.store.resolve({ text: sid });
  const card = found.kind === "found" ? await server.store.show({ conversation: found.conversation }) : null;
  return card?.sessions.at(-1)?.cwd ?? server.host.cwd;
}

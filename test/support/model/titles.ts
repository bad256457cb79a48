/** Titles in the model: unique among all sessions, numbered along a lineage. */
import { splitNumber } from "#session/title.js";
import type { Conversation, Session, Title, World } from "./world.js";

/** Answers the kind of outcome. */
export function setTitle(world: World, conversation: Conversation, text: string): "set" | "dropped" {
  const title = splitNumber(text);
  const holder = holderOf(world, title.title);
  if (holder !== undefined && holder.conversation !== conversation) return "dropped";
  if (holder !== undefined) holder.session.title = null;
  world.tip(conversation).title = title;
  return "set";
}

/** True when no conversation at all could begin with this title. */
export function isTaken(world: World, text: string): boolean {
  return holderOf(world, splitNumber(text).title) !== undefined;
}

/** The next free title of the base that `from` has; none when it has none. */
export function inheritTitle(world: World, from: Session, to: Session): void {
  if (from.title === null) return;
  const { base } = from.title;
  let number = Math.max(...titled(world).map(({ title }) => (title.base === base ? title.number : 0))) + 1;
  while (holderOf(world, numbered(base, number)) !== undefined) number++;
  to.title = { title: numbered(base, number), base, number };
}

/** The conversation that a title leads to: the newest of its lineage, else the one that has exactly this title. */
export function resolveTitle(world: World, text: string): Conversation | undefined {
  const lineage = titled(world).filter(({ title }) => title.base === text);
  const newest = lineage.sort((a, b) => b.title.number - a.title.number)[0];
  return newest?.conversation ?? holderOf(world, text)?.conversation;
}

function numbered(base: string, number: number): string {
  return number === 1 ? base : `${base} #${number}`;
}

function holderOf(world: World, text: string): { conversation: Conversation; session: Session } | undefined {
  return titled(world).find(({ title }) => title.title === text);
}

function titled(world: World): { conversation: Conversation; session: Session; title: Title }[] {
  return world.conversations.flatMap((conversation) =>
    conversation.sessions.flatMap((session) =>
      session.title === null ? [] : [{ conversation, session, title: session.title }],
    ),
  );
}

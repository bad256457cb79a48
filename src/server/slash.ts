/** Slash commands over the wire: the context a command acts in, and what a client is told to do next. */
import type { SlashContext, SlashNext } from "#command/command.js";
import { livePort } from "#command/ports.js";
import { type LineOutcome, runLine } from "#command/run-line.js";
import type { SlashNextWire } from "#protocol/methods/slash.js";
import { HOME_OWNER } from "#session/person.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { Connection } from "./connection.js";
import { type ServerContext, TERMINAL_ACCOUNT } from "./context.js";
import { Refusal } from "./failure.js";
import type { Call } from "./handler.js";
import { sayAgain } from "./say.js";
import { startOf, type Target, targetOf } from "./target.js";

export type SlashAnswer = Exclude<LineOutcome, { kind: "message" }>;

export async function runSlash(
  server: ServerContext,
  call: Call,
  { sid, line }: { readonly sid: string; readonly line: string },
): Promise<SlashAnswer> {
  const target = sid === "" ? undefined : await targetOf(server, sid);
  const outcome = await runLine(line, await slashContext(server, call.connection, target));
  if (outcome.kind === "message") throw new Refusal("unknownCommand", "not a command");
  if (outcome.kind === "ran") {
    const [, args = ""] = /^\S+\s+(.*)$/s.exec(line) ?? [];
    const { platform } = call.connection;
    const said = { platform, user_id: HOME_OWNER, command: outcome.command, raw_command: line, args, raw_args: args };
    server.announce("command:*", said);
    await follow(server, call.connection, target, outcome.next);
  }
  return outcome;
}

export async function slashContext(
  server: ServerContext,
  connection: Connection,
  target: Target | undefined,
): Promise<SlashContext> {
  const { store, live, clock, newId, host, models, commands, connections } = server;
  const conversation = target?.kind === "stored" ? target.id : undefined;
  const card = conversation === undefined ? null : await store.show({ conversation });
  const start = target?.kind === "blank" ? startOf(target.blank) : startLike(server, connection, card);
  const { platform } = connection;
  const heldElsewhere = conversation !== undefined && connections.isHeldElsewhere(conversation, connection);
  return {
    ...commands,
    surface: "terminal",
    store,
    clock,
    actor: { platform, heldElsewhere },
    person: { id: HOME_OWNER, role: "owner" },
    conversation,
    start,
    model: models.current(),
    version: host.version,
    live: livePort(live, { clock, newId, platform, account: TERMINAL_ACCOUNT, start }),
    compact: (id, options) => live.compact(id, options),
  };
}

/** A conversation begun from another one works in the same place. */
function startLike(
  { host, models }: ServerContext,
  connection: Connection,
  card: ConversationCard | null,
): SessionStart {
  const cwd = card?.sessions.at(-1)?.cwd ?? host.cwd;
  return { source: connection.platform, model: models.current().label, cwd };
}

/** What a command did to where this client is. */
async function follow(
  server: ServerContext,
  connection: Connection,
  target: Target | undefined,
  next: SlashNext,
): Promise<void> {
  if (next.kind === "run" && target?.kind === "stored") {
    connection.follow(target.id);
    server.live.wake(target.id, true);
  }
  if (next.kind === "retry" && target?.kind === "stored") {
    connection.follow(target.id);
    await sayAgain(server, connection, { id: target.id, text: next.text });
  }
  if (next.kind !== "move" && next.kind !== "resume") return;
  const left = target?.kind === "stored" ? target.id : undefined;
  if (target?.kind === "blank") server.blanks.remove(target.blank.id);
  if (left !== undefined && left !== next.conversation) {
    connection.held.delete(left);
    connection.detach(left);
  }
  if (next.conversation === undefined) return;
  connection.held.add(next.conversation);
  if (next.kind === "resume") server.live.wake(next.conversation, true);
}

export function spokenNext(next: SlashNext): SlashNextWire {
  switch (next.kind) {
    case "move":
      return { kind: "move", session_id: next.conversation ?? null };
    case "resume":
      return { kind: "resume", session_id: next.conversation };
    // Done here already: the client only watches.
    case "retry":
      return { kind: "run" };
    default:
      return next;
  }
}

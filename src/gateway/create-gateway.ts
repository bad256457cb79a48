/** The gateway, made and connected: accounts, what they hear, what is owed to them. See `gateway.ts` for the port. */
import { OperationalError } from "#base/errors.js";
import { createAccess } from "./access/create-access.js";
import { createOwnerChats } from "./access/owner-chat.js";
import { AccountLine } from "./account-line.js";
import { createAsked } from "./asked.js";
import { createChatCommands } from "./commands/create-chat-commands.js";
import { menuEntries } from "./commands/menu.js";
import { tellRestarted } from "./commands/restart.js";
import { createDeadNotices } from "./dead-notices.js";
import type { Gateway, GatewayParts } from "./gateway.js";
import { createHttpDoor } from "./http-door.js";
import { createIntake } from "./intake.js";
import { createOutbox } from "./outbox.js";
import { pressed } from "./pressed.js";
import { createPreviews } from "./previews.js";

export function createGateway(parts: GatewayParts): Gateway {
  const { store, live, clock, log, host } = parts;
  let isDraining = false;
  const access = createAccess(parts);
  const asked = createAsked(live, { store, clock, log, lines: () => lines });
  const chatCommands = createChatCommands(parts, access);
  const previews = createPreviews(live, { store, clock, log, onQuestion: asked.stands });
  const owners = createOwnerChats(parts);
  const intake = createIntake({ ...parts, access, owners, chatCommands, previews, isDraining: () => isDraining });
  const outbox = createOutbox({
    store,
    host,
    clock,
    log,
    lines: () => lines,
    mayLeave: (path) => parts.mayLeave(path),
    preview: (turn) => previews.settled(turn),
    notices: createDeadNotices(parts),
  });
  const lines: readonly AccountLine[] = parts.accounts.map(
    (account) =>
      new AccountLine(account, {
        clock,
        log,
        menu: () => menuEntries(parts),
        cursors: (limit) => cursorsOf(parts, account, limit),
        onUp: () => outbox.poke(),
        receiver: (line) => ({
          message: (incoming) => intake.message(line, incoming),
          press: (press) => pressed({ access, chatCommands, asked }, line, press),
          up: () => undefined,
          down: () => undefined,
        }),
      }),
  );
  const httpDoor = createHttpDoor(lines, clock);
  return {
    start() {
      outbox.start();
      for (const line of lines) line.start();
      void takeUp(parts, { asked, chatCommands });
    },
    standing: () => lines.map((line) => line.standing()),
    poke: () => outbox.poke(),
    http: (platform, request) => httpDoor.answer(platform, request),
    drain() {
      isDraining = true;
    },
    async stop(limitMs) {
      isDraining = true;
      previews.stop();
      asked.stop();
      const endMs = clock.monotonicMs() + limitMs;
      // Receiving ends when sending does: what comes in meanwhile is stored.
      await outbox.stop(limitMs);
      // Before the lines: what an adapter is about to keep may still need its own.
      await httpDoor.leave(Math.max(REQUESTS_MS_MIN, endMs - clock.monotonicMs()));
      await Promise.all(lines.map((line) => line.stop()));
      await Promise.race([chatCommands.rest(), clock.sleep(COMMANDS_MS)]);
    },
  };
}

/** For requests under way, when sending took all the time; one that takes longer is answered while the store is there. */
const REQUESTS_MS_MIN = 200;
const COMMANDS_MS = 500;

/** What chats were owed by the host before. */
async function takeUp(
  parts: GatewayParts,
  { asked, chatCommands }: Record<"asked" | "chatCommands", { recover(): Promise<void> }>,
): Promise<void> {
  try {
    await tellRestarted(parts);
    // What is decided next is seen then.
    await asked.recover();
    await chatCommands.recover();
  } catch (error) {
    // A bug ends the process, loudly; an outage leaves the rows, which the chat's next message or a start looks at.
    if (!(error instanceof OperationalError)) throw error;
    parts.log.error("what chats were owed could not be looked at", { error: error.message });
  }
}

async function cursorsOf(
  { store }: GatewayParts,
  { kind, name }: GatewayParts["accounts"][number],
  limit: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await store.cursors({ platform: kind.name, account: name, limit });
  return new Map(rows.map(({ name: of, value }) => [of, value]));
}

/** The gateway, made and connected: accounts, what they hear, what is owed to them. See `gateway.ts` for the port. */
import { OperationalError } from "#base/errors.js";
import type { HttpAnswer } from "#platform/platform.js";
import { createAccess } from "./access/create-access.js";
import { AccountLine } from "./account-line.js";
import { createAsked } from "./asked.js";
import { createChatCommands } from "./commands/create-chat-commands.js";
import { menuEntries } from "./commands/menu.js";
import { tellRestarted } from "./commands/restart.js";
import { createDeadNotices } from "./dead-notices.js";
import type { Gateway, GatewayParts } from "./gateway.js";
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
  const intake = createIntake({ ...parts, access, chatCommands, previews, isDraining: () => isDraining });
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
  return {
    start() {
      outbox.start();
      for (const line of lines) line.start();
      const tidy = async (): Promise<void> => {
        await tellRestarted(parts);
        // What is decided next is seen then.
        await asked.recover();
        await chatCommands.recover();
      };
      tidy().catch((error: unknown) => {
        // A bug ends the process, loudly; an outage leaves the rows, which the chat's next message or a start looks at.
        if (!(error instanceof OperationalError)) throw error;
        log.error("what chats were owed could not be looked at", { error: error.message });
      });
    },
    standing: () => lines.map((line) => line.standing()),
    poke: () => outbox.poke(),
    http: (platform, request) => byDoor(lines, platform, request),
    drain() {
      isDraining = true;
    },
    async stop(limitMs) {
      isDraining = true;
      previews.stop();
      asked.stop();
      // Receiving ends when sending does: what comes in meanwhile is stored.
      await outbox.stop(limitMs);
      await Promise.all(lines.map((line) => line.stop()));
      await Promise.race([chatCommands.rest(), clock.sleep(COMMANDS_MS)]);
    },
  };
}

const COMMANDS_MS = 500;

async function cursorsOf(
  { store }: GatewayParts,
  { kind, name }: GatewayParts["accounts"][number],
  limit: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await store.cursors({ platform: kind.name, account: name, limit });
  return new Map(rows.map(({ name: of, value }) => [of, value]));
}

/** `/platforms/<platform>/…`, or with several accounts `/platforms/<platform>/<account>/…`. */
async function byDoor(
  lines: readonly AccountLine[],
  platform: string,
  request: Parameters<Gateway["http"]>[1],
): Promise<HttpAnswer> {
  const candidates = lines.filter(({ account }) => account.kind.name === platform);
  const named = candidates.find(({ account }) => candidates.length > 1 && isUnder(request.path, account.name));
  const line = named ?? (candidates.length === 1 ? candidates[0] : undefined);
  const door = line?.door();
  if (line === undefined || (door !== undefined && door.http === undefined)) {
    return { status: 404, body: "nobody listens here\n" };
  }
  if (door?.http === undefined) return { status: 503, headers: { "retry-after": "5" }, body: "not ready yet\n" };
  const path = named === undefined ? request.path : request.path.slice(named.account.name.length + 1) || "/";
  return door.http({ ...request, path });
}

function isUnder(path: string, account: string): boolean {
  return path === `/${account}` || path.startsWith(`/${account}/`);
}

/**
 * `talaria rpc --stdio`: what a terminal client starts as its backend. The client's pipes and this process's end are
 * handled here; the rest is the bridge's. A client that is killed takes this process with it and nothing else: the host
 * sees a line that ended.
 */
import { once } from "node:events";
import { randomIds } from "#base/ids.js";
import { Bridge } from "#client/bridge/bridge.js";
import { openSocketWire } from "#client/socket-wire.js";
import { type HostWish, PROTOCOL_SPOKEN, reachHost } from "#client/start-host.js";
import type { ClientWire } from "#client/wire.js";
import type { CliContext } from "../command.js";
import { hostWish } from "../host-wish.js";

const CLIENT = "talaria-rpc";
/** What was written may still be read for this long. */
const LAST_OUTPUT_MS = 100;
const INTERRUPT_GRACE_MS = 1_000;

export async function runStdio(context: CliContext): Promise<void> {
  context.prepareHome();
  const { clock, signal } = context;
  const { stdin, stdout, stderr } = process;
  const wish = hostWish(context, CLIENT);
  const bridge = new Bridge(
    {
      input: stdin,
      output: stdout,
      open: (stopping) => openThroughHost({ ...wish, signal: stopping }),
      clock,
      hello: { client: CLIENT, version: context.version, protocol: PROTOCOL_SPOKEN, ...cwdOf() },
      note: (text) => void stderr.write(`talaria: ${text}\n`),
    },
    { idPrefix: `bridge-${randomIds()}-` },
  );
  const leave = (): void => void bridge.leave("told");
  const endings = ["SIGTERM", "SIGHUP"] as const;
  for (const name of endings) process.on(name, leave);
  // The reader of stdout has gone.
  signal.addEventListener("abort", leave, { once: true });
  const giveBack = context.takeInterrupts(leave, INTERRUPT_GRACE_MS);
  await bridge.run();
  giveBack();
  await leaveStreams(context);
}

/** Where the client works; a folder that was removed under it is nowhere. */
function cwdOf(): { readonly cwd?: string } {
  try {
    return { cwd: process.cwd() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return {};
  }
}

/** The probe keeps a host that has no other client from leaving until the line is there. */
async function openThroughHost(wish: HostWish): Promise<ClientWire> {
  const { line, hello } = await reachHost(wish);
  try {
    if (hello.is_newer_client === true) {
      process.stderr.write(
        `talaria: the host is version ${hello.version} and this is ${wish.version}; \`talaria host restart\` renews it\n`,
      );
    }
    return await openSocketWire({ socketPath: wish.place.socketPath, clock: wish.clock });
  } finally {
    line.close();
  }
}

/**
 * A client that does not read its pipe must not keep this process: what it has not taken by now is let go. Only leaving
 * for good does that, since a write that waits holds the process.
 */
async function leaveStreams({ clock }: CliContext): Promise<void> {
  const { stdin, stdout } = process;
  stdin.destroy();
  if (stdout.writableLength > 0 && !stdout.destroyed) {
    await Promise.race([once(stdout, "drain").catch(() => undefined), clock.sleep(LAST_OUTPUT_MS)]);
  }
  if (stdout.writableLength > 0) process.exit(0);
}

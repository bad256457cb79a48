/** What serves a host's clients, from what the home and its settings say. */
import { randomIds } from "#base/ids.js";
import { processPort } from "#command/ports.js";
import type { Live } from "#runtime/live/port.js";
import type { HostControl, ServerParts } from "#server/parts.js";
import { createServer, type Server } from "#server/server.js";
import type { SessionStore } from "#session/store.js";
import type { Processes } from "#tool/terminal/processes.js";
import { handoffPort } from "../gateway/handoff-port.js";
import type { Extensions } from "./extensions.js";
import type { OpenedHome } from "./open-home.js";
import { aboutPorts } from "./ports/about.js";
import { createMachine } from "./ports/machine.js";
import type { HostModels } from "./ports/models.js";
import type { LiveSettings } from "./ports/settings.js";
import type { HostWish } from "./start-host.js";

export interface WorksParts {
  readonly wish: HostWish;
  readonly opened: OpenedHome;
  readonly extensions: Extensions;
  readonly store: SessionStore;
  readonly settings: LiveSettings;
  readonly models: HostModels;
  readonly processes: Processes;
  /** Where a conversation works that names no directory. */
  readonly cwd: string;
}

export function makeServer(parts: WorksParts, live: Live, control: HostControl): Server {
  const { wish, opened, extensions, store, settings, models, processes, cwd } = parts;
  const { home, clock, env, version, log } = wish;
  const { epoch, startedMs } = opened;
  return createServer({
    store,
    live,
    clock,
    newId: randomIds,
    log: log.child({ component: "server" }),
    host: { version, pid: process.pid, home: home.root, epoch, startedMs, cwd },
    control,
    settings,
    models: models.port,
    commands: commandPorts(parts),
    announce: (name, payload) => extensions.announce(name, payload),
    machine: createMachine({ home, env, clock, processes, stopProcesses: () => stopProcesses(processes) }),
  });
}

/** What slash commands get, whoever says them. */
export function commandPorts(parts: WorksParts): ServerParts["commands"] {
  const { wish, extensions, processes, models } = parts;
  return {
    ...aboutPorts(parts),
    commands: () => extensions.commands(),
    plugins: async () => extensions.plugins(),
    processes: processPort(processes),
    models: models.choice,
    handoff: handoffPort(parts),
    home: { root: wish.home.root, config: wish.home.config },
  };
}

async function stopProcesses(processes: Processes): Promise<number> {
  const running = processes.running();
  await Promise.all(running.map((one) => processes.kill(one)));
  return running.length;
}

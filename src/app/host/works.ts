/**
 * The insides of a host, made and connected: the runtime and its parts, the live side behind its gate, and the server
 * that clients speak to. Nothing runs yet when this returns.
 */
import { homedir } from "node:os";
import { randomIds } from "#base/ids.js";
import { processPort } from "#command/ports.js";
import { createLive } from "#runtime/live/create-live.js";
import type { Live } from "#runtime/live/port.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import type { HostControl } from "#server/parts.js";
import { createServer, type Server } from "#server/server.js";
import { createProcesses, type Processes } from "#tool/terminal/processes.js";
import { runtimeParts } from "../runtime-parts.js";
import { createIntakeGate, type IntakeGate } from "./intake-gate.js";
import type { OpenedHome } from "./open-home.js";
import { createMachine } from "./ports/machine.js";
import { createHostModels } from "./ports/models.js";
import { createSettings } from "./ports/settings.js";
import type { HostWish } from "./start-host.js";

export interface HostWorks {
  readonly runtime: Runtime;
  /** Behind the gate is what clients get; this is the thing itself. */
  readonly live: Live;
  readonly gate: IntakeGate;
  readonly server: Server;
  readonly processes: Processes;
}

export interface WorksEvents {
  readonly control: HostControl;
  onTurnEnded(): void;
}

export function assemble(
  wish: HostWish,
  { store, host, epoch, startedMs }: OpenedHome,
  events: WorksEvents,
): HostWorks {
  const { home, clock, env, version, config, log } = wish;
  const cwd = homedir();
  const settings = createSettings(home, env, config);
  const models = createHostModels({ settings, env, clock, home });
  const processes = createProcesses({ clock, newId: randomIds });
  const parts = runtimeParts(
    { ...wish, cwd, isYolo: false, log: log.child({ component: "runtime" }) },
    { store, host, processes, models: () => models.open() },
  );
  const runtime = createRuntime(parts);
  const live = createLive({
    runtime,
    store,
    clock,
    log: log.child({ component: "live" }),
    epoch,
    onBug: (error) => wish.onBroken(error),
    onTurnEnded: () => events.onTurnEnded(),
  });
  const gate = createIntakeGate(live);
  const server = createServer({
    store,
    live: gate.live,
    clock,
    newId: randomIds,
    log: log.child({ component: "server" }),
    host: { version, pid: process.pid, home: home.root, epoch, startedMs, cwd },
    control: events.control,
    settings,
    models: models.port,
    commands: {
      processes: processPort(processes),
      models: models.choice,
      home: { root: home.root, config: home.config },
    },
    machine: createMachine({ home, env, clock, processes, stopProcesses: () => stopProcesses(processes) }),
  });
  return { runtime, live, gate, server, processes };
}

async function stopProcesses(processes: Processes): Promise<number> {
  const running = processes.running();
  await Promise.all(running.map((one) => processes.kill(one)));
  return running.length;
}

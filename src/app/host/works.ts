/**
 * The insides of a host, made and connected: what runs turns, the live side behind its gate, and the server that clients
 * speak to. Nothing runs yet when this returns.
 */
import { createLive } from "#runtime/live/create-live.js";
import type { Live } from "#runtime/live/port.js";
import type { Runtime } from "#runtime/runtime.js";
import type { HostControl } from "#server/parts.js";
import type { Server } from "#server/server.js";
import type { SessionStore } from "#session/store.js";
import type { Processes } from "#tool/terminal/processes.js";
import { createHostGateway, type HostGateway } from "../gateway/host-gateway.js";
import type { Extensions } from "./extensions.js";
import { createIntakeGate, type IntakeGate } from "./intake-gate.js";
import { lazyRuntime } from "./lazy-runtime.js";
import { commandPorts, makeServer } from "./make-server.js";
import type { OpenedHome } from "./open-home.js";
import type { HostWish } from "./start-host.js";
import { otherVariables } from "./variables.js";
import { makeParts } from "./works-parts.js";

export interface HostWorks {
  readonly runtime: Runtime;
  /** Behind the gate is what clients get; this is the thing itself. */
  readonly live: Live;
  readonly gate: IntakeGate;
  readonly server: Server;
  readonly processes: Processes;
  /** Of a host that has the platforms. */
  readonly gateway: HostGateway | undefined;
  /** The home's store; what is written through it is told to hooks. */
  readonly store: SessionStore;
  otherVariables: HostControl["otherVariables"];
}

export interface WorksEvents {
  readonly extensions: Extensions;
  readonly control: HostControl;
  onTurnEnded(): void;
  /** Somebody in a chat wants the next host. */
  onRestart(): void;
}

export function assemble(wish: HostWish, opened: OpenedHome, events: WorksEvents): HostWorks {
  const { clock, log } = wish;
  const gateway: { current?: HostGateway } = {};
  const parts = makeParts(wish, opened, events.extensions, { deliveries: () => gateway.current?.poke() });
  const { store, processes } = parts;
  const runtime = lazyRuntime(store, async () => (await import("./make-runtime.js")).makeRuntime(parts));
  const live = createLive({
    runtime,
    store,
    clock,
    log: log.child({ component: "live" }),
    epoch: opened.epoch,
    onBug: (error) => wish.onBroken(error),
    onTurnEnded: () => events.onTurnEnded(),
  });
  const gate = createIntakeGate(live);
  const server = makeServer(parts, gate.live, events.control);
  if (wish.gateway !== undefined) {
    const restart = (): void => events.onRestart();
    gateway.current = createHostGateway({ works: parts, live: gate.live, commands: commandPorts(parts), restart });
  }
  const { settings } = parts;
  const other: HostWorks["otherVariables"] = (marks) =>
    otherVariables(marks, { env: wish.env, file: settings.current().envFile.variables });
  return { runtime, live, gate, server, processes, gateway: gateway.current, store, otherVariables: other };
}

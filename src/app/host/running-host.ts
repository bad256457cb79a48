/**
 * A host at work: its doors, its upkeep, when it goes by itself and how it stops. One object, because each of these
 * asks the others; what each does is in a file of its own.
 */

import { createControl } from "./control.js";
import type { EndRecord } from "./crash-record.js";
import { createDoors } from "./doors.js";
import { stoppingRefusal } from "./intake-gate.js";
import { startLinger } from "./linger.js";
import type { OpenedHome } from "./open-home.js";
import { createSafeMode } from "./safe-mode.js";
import type { Host, HostWish } from "./start-host.js";
import { closeOpenings, type StopWish, stopHost } from "./stop-host.js";
import { startUpkeep, type Upkeep } from "./upkeep.js";
import { assemble } from "./works.js";

export interface RunningHost extends Host {
  /** Opens the doors. */
  serve(): Promise<void>;
  /** Takes up what earlier hosts left, and whatever a host does by itself. */
  takeUp(): Promise<void>;
}

export function createRunningHost(wish: HostWish, opened: OpenedHome): RunningHost {
  const { clock, log, home, config } = wish;
  const { store, host } = opened;
  const hurry = new AbortController();
  const lingerMs = config.values.host.linger_seconds * 1_000;
  let settleEnded: (record: EndRecord) => void = () => undefined;
  const ended = new Promise<EndRecord>((resolve) => {
    settleEnded = resolve;
  });
  let upkeep: Upkeep | undefined;
  let state: "starting" | "serving" | "stopping" = "starting";
  let stopLingering = (): void => undefined;

  const control = createControl({
    home,
    version: wish.version,
    opened,
    store,
    clock,
    lingerMs,
    drainMs: config.values.host.drain_seconds * 1_000,
    works: () => works,
    safeMode: () => safeMode.standing(),
    isStopping: () => state === "stopping",
    stop: (stopWish) => stop(stopWish),
    removed: () => upkeep?.removed(),
  });
  const works = assemble(wish, opened, { control, onTurnEnded: () => upkeep?.turnEnded() });
  const { gate, live, server, processes } = works;
  const safeMode = createSafeMode({ mode: opened.mode, clock, log, gate, onOver: () => void takeUpWork() });
  const doors = createDoors({
    home,
    env: wish.env,
    clock,
    log,
    port: config.values.host.port,
    accept: (wire) => server.serve(wire),
    health: () => ({
      live: true,
      ready: state === "serving",
      state: safeMode.standing() === null ? state : "safe-mode",
    }),
  });

  const need = (): string | undefined => {
    if (server.connections() > 0) return "clients";
    if (live.active().some((one) => one.state === "working")) return "turns";
    if (processes.running().length > 0) return "processes";
    return upkeep?.isBusy() === true ? "jobs" : undefined;
  };
  const takeUpWork = async (): Promise<void> => {
    const { woken, waiting } = await gate.live.recover();
    if (woken + waiting > 0) log.info("took up what was left", { woken, waiting });
    upkeep?.turnEnded();
  };
  const leave = async (): Promise<boolean> => {
    await doors.close();
    // Whoever came in at the last moment is heard, and whoever comes now finds nobody and starts the next host.
    if (need() === undefined) {
      stop({ reason: "idle" });
      return true;
    }
    await doors.open();
    return false;
  };
  const stop = (stopWish: StopWish): void => {
    if (state === "stopping") return;
    state = "stopping";
    const drainMs = stopWish.drainMs ?? config.values.host.drain_seconds * 1_000;
    wish.onStopping(drainMs);
    stopLingering();
    safeMode.stop();
    upkeep?.stop();
    gate.shut(stoppingRefusal());
    const parts = {
      clock,
      log,
      live,
      store,
      host,
      hurry: hurry.signal,
      closeDoors: () => doors.close(),
      endClients: async () => server.stop(),
      endProcesses: () => processes.endAll(),
      deliverHooks: async () => undefined,
      settleUpkeep: async () => upkeep?.settled(),
      noteEnd: (record: EndRecord) => opened.noteEnd(record),
    };
    void stopHost(parts, { ...stopWish, drainMs }).then(settleEnded, wish.onBroken);
  };

  return {
    ended,
    stop,
    hurry: () => hurry.abort(),
    async serve() {
      await doors.open();
      state = "serving";
    },
    async takeUp() {
      upkeep = startUpkeep({
        ...wish,
        store,
        host,
        runtime: works.runtime,
        processes,
        runsJobs: () => gate.refusal() === undefined,
      });
      await takeUpWork();
      if (wish.stays) return;
      const linger = startLinger({ clock, lingerMs, need, prepare: () => closeOpenings({ store, clock }), leave });
      stopLingering = () => linger.stop();
    },
  };
}

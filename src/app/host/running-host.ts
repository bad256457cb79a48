/**
 * A host at work: its doors, its upkeep, when it goes by itself and how it stops. One object, because each of these
 * asks the others; what each does is in a file of its own.
 */
import type { SessionStore } from "#session/store.js";
import { healthOf } from "../gateway/health.js";
import { createControl } from "./control.js";
import type { EndRecord } from "./crash-record.js";
import { createDoors, type Doors } from "./doors.js";
import { createExtensions, type Extensions } from "./extensions.js";
import { stoppingRefusal } from "./intake-gate.js";
import { startLinger } from "./linger.js";
import type { OpenedHome } from "./open-home.js";
import { createSafeMode, type SafeMode } from "./safe-mode.js";
import type { Host, HostWish } from "./start-host.js";
import { closeOpenings, type StopWish, stopHost } from "./stop-host.js";
import { startUpkeep, type Upkeep } from "./upkeep.js";
import { assemble, type HostWorks } from "./works.js";

/** The reason of a stop after which this host is to be started again. */
export const RESTART = "restart";

type State = "starting" | "serving" | "stopping";

export class RunningHost implements Host {
  readonly ended: Promise<EndRecord>;
  readonly #wish: HostWish;
  readonly #opened: OpenedHome;
  readonly #extensions: Extensions;
  readonly #works: HostWorks;
  readonly #safeMode: SafeMode;
  readonly #doors: Doors;
  readonly #hurry = new AbortController();
  readonly #lingerMs: number;
  readonly #drainMs: number;
  #state: State = "starting";
  #upkeep: Upkeep | undefined;
  #stopLingering: () => void = () => undefined;
  #settleEnded: (record: EndRecord) => void = () => undefined;

  constructor(wish: HostWish, opened: OpenedHome) {
    const { host, gateway } = wish.config.values;
    const { drain_seconds } = wish.gateway === undefined ? host : gateway;
    this.#wish = wish;
    this.#opened = opened;
    this.#lingerMs = host.linger_seconds * 1_000;
    this.#drainMs = drain_seconds * 1_000;
    this.ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    this.#extensions = createExtensions(wish, opened.store, opened.host);
    this.#works = assemble(wish, opened, {
      extensions: this.#extensions,
      control: this.#makeControl(),
      onTurnEnded: () => this.#upkeep?.turnEnded(),
      onRestart: () => this.stop({ reason: RESTART, keepsOpenings: true }),
    });
    const { clock, log } = wish;
    const { gate } = this.#works;
    this.#safeMode = createSafeMode({ mode: opened.mode, clock, log, gate, onOver: () => this.#leaveSafeMode() });
    this.#doors = this.#makeDoors();
  }

  /** Opens the doors. */
  async serve(): Promise<void> {
    await this.#doors.open();
    if (this.#state === "starting") this.#state = "serving";
  }

  /** Takes up what earlier hosts left, and whatever a host does by itself. */
  async takeUp(): Promise<void> {
    const { runtime, processes, gate } = this.#works;
    const { host } = this.#opened;
    // What crashed the hosts before may be a hook or a plugin.
    if (this.#safeMode.standing() === null) this.#extensions.open();
    else this.#extensions.leaveClosed();
    const runsJobs = (): boolean => gate.refusal() === undefined;
    this.#upkeep = startUpkeep({ ...this.#wish, store: this.#store, host, runtime, processes, runsJobs });
    await this.#recover();
    await this.#openGateway();
    if (!this.#wish.stays && this.#state === "serving") this.#linger();
  }

  stop(wish: StopWish): void {
    if (this.#state === "stopping") return;
    this.#state = "stopping";
    const { clock, log } = this.#wish;
    const { live, gate, server, processes, gateway } = this.#works;
    const drainMs = wish.drainMs ?? this.#drainMs;
    this.#wish.onStopping(drainMs);
    this.#stopLingering();
    this.#safeMode.stop();
    this.#upkeep?.stop();
    // What is heard from here on is stored, and answered by the next host.
    gateway?.drain();
    gate.shut(stoppingRefusal());
    const parts = {
      clock,
      log,
      live,
      store: this.#store,
      host: this.#opened.host,
      hurry: this.#hurry.signal,
      shutDoors: () => this.#doors.shut(),
      endPlatforms: async (limitMs: number) => gateway?.stop(limitMs),
      closeDoors: () => this.#doors.close(),
      endClients: async () => server.stop(),
      endProcesses: () => processes.endAll(),
      deliverHooks: (limitMs: number) => this.#extensions.stop(limitMs),
      settleUpkeep: async () => this.#upkeep?.settled(),
      noteEnd: (record: EndRecord) => this.#opened.noteEnd(record),
    };
    void stopHost(parts, { ...wish, drainMs }).then(this.#settleEnded, (error) => this.#wish.onBroken(error));
  }

  release(): void {
    this.#opened.release();
  }

  hurry(): void {
    this.#hurry.abort();
  }

  get #store(): SessionStore {
    return this.#works.store;
  }

  #leaveSafeMode(): void {
    this.#extensions.open();
    void this.#recover().then(() => this.#openGateway());
  }

  async #recover(): Promise<void> {
    const { woken, waiting } = await this.#works.gate.live.recover();
    if (woken + waiting > 0) this.#wish.log.info("took up what was left", { woken, waiting });
    this.#upkeep?.turnEnded();
  }

  /** After recovery, so that what was cut goes on before what is new. Never in safe mode: a platform may be what crashes. */
  async #openGateway(): Promise<void> {
    const { gateway } = this.#works;
    if (gateway === undefined || this.#state === "stopping") return;
    const safeMode = this.#safeMode.standing();
    if (safeMode !== null) return this.#wish.gateway?.onPutOff(safeMode.untilMs);
    await gateway.open();
    this.#wish.gateway?.onOpen(() => gateway.standing());
  }

  #linger(): void {
    const { clock } = this.#wish;
    const store = this.#store;
    const linger = startLinger({
      clock,
      lingerMs: this.#lingerMs,
      need: () => this.#need(),
      prepare: () => closeOpenings({ store, clock }),
      leave: () => this.#leave(),
    });
    this.#stopLingering = () => linger.stop();
  }

  #need(): string | undefined {
    return this.#works.server.connections() > 0 ? "clients" : this.#work();
  }

  #work(): string | undefined {
    const { live, processes } = this.#works;
    if (live.active().some(({ state }) => state === "working")) return "turns";
    if (processes.running().length > 0) return "processes";
    if (this.#extensions.isBusy()) return "hooks";
    return this.#upkeep?.isBusy() === true ? "jobs" : undefined;
  }

  /** Whoever came in at the last moment is heard; whoever comes now finds nobody and starts the next host. */
  async #leave(): Promise<boolean> {
    await this.#doors.close();
    if (this.#need() === undefined) {
      this.stop({ reason: "idle" });
      return true;
    }
    // A stop that came in between finds them closed and leaves them so.
    if (this.#state === "stopping") return true;
    await this.#doors.open();
    return false;
  }

  #makeControl() {
    const { home, clock, version } = this.#wish;
    return createControl({
      home,
      version,
      opened: this.#opened,
      clock,
      lingerMs: this.#lingerMs,
      drainMs: this.#drainMs,
      works: () => this.#works,
      safeMode: () => this.#safeMode.standing(),
      isStopping: () => this.#state === "stopping",
      stays: this.#wish.stays,
      work: () => this.#work(),
      otherVariables: (marks) => this.#works.otherVariables(marks),
      notes: () => [...this.#extensions.notes(), ...this.#doors.notes()],
      pages: () => this.#doors.pages(),
      extensions: () => this.#extensions.standing(),
      stop: (wish) => this.stop(wish),
      removed: () => this.#upkeep?.removed(),
    });
  }

  #makeDoors(): Doors {
    const { home, env, clock, log, config } = this.#wish;
    const { server, gateway } = this.#works;
    return createDoors({
      home,
      env,
      clock,
      log,
      port: config.values.host.port,
      accept: (wire) => server.serve(wire),
      ...(gateway && { platforms: (name, request) => gateway.http(name, request) }),
      health: () => ({
        live: true,
        ready: this.#state === "serving",
        state: this.#safeMode.standing() === null ? this.#state : "safe-mode",
        ...(gateway && { platforms: healthOf(gateway.standing()) }),
      }),
    });
  }
}

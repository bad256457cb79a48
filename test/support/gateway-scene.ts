/**
 * A gateway over a real SQLite file and a scripted model, with one account on a platform on paper. `restart` is the next
 * process over the same files and the same paper; whatever the one before still does is of no account.
 */
import type { HostId } from "#base/ids.js";
import { seededIds } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { reachOwner } from "#gateway/access/owner-chat.js";
import { createGateway } from "#gateway/create-gateway.js";
import type { Account, Gateway, GatewayParts } from "#gateway/gateway.js";
import { chatWords } from "#gateway/words.js";
import type { PlatformKind } from "#platform/platform.js";
import { createLive } from "#runtime/live/create-live.js";
import type { Live } from "#runtime/live/port.js";
import type { Address } from "#session/address.js";
import { DEFAULT_KEY_RULES } from "#session/session-key.js";
import type { SessionStore } from "#session/store.js";
import { PAPER_LIMITS, PaperPlatform, paperAccount } from "./paper-platform.js";
import { RuntimeScene, type SceneOptions } from "./runtime-scene.js";

export interface GatewaySceneOptions extends SceneOptions {
  readonly account?: Partial<Account>;
  readonly kind?: Partial<PlatformKind>;
  readonly parts?: Partial<GatewayParts>;
}

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class GatewayScene {
  readonly paper = new PaperPlatform();
  readonly scene: RuntimeScene;
  readonly bugs: unknown[] = [];
  readonly kept: string[] = [];
  live: Live;
  gateway: Gateway;
  #hosts = 0;

  constructor(private readonly options: GatewaySceneOptions) {
    const owner = async (asked: Address) =>
      reachOwner({ ...this.scene, accounts: options.parts?.accounts ?? [this.#account()] }, asked);
    const chat = { limitsOf: () => PAPER_LIMITS, ...(options.parts?.approvals === "owner" ? { owner } : {}) };
    this.scene = new RuntimeScene({ ...options, chat: chatWords(chat) });
    [this.live, this.gateway] = this.#open();
  }

  /** Starts, and is up. */
  async up(): Promise<this> {
    this.gateway.start();
    await this.until(() => this.gateway.standing().every(({ state }) => state.kind === "up"));
    return this;
  }

  async restart(): Promise<this> {
    void this.gateway.stop(0);
    this.scene.restart();
    [this.live, this.gateway] = this.#open();
    await this.live.recover();
    return this.up();
  }

  async remove(): Promise<void> {
    const stopping = this.gateway.stop(0);
    await this.pass(5_000);
    await stopping;
    this.scene.remove();
  }

  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const giveUpMs = performance.now() + 30_000; performance.now() < giveUpMs; ) {
      if (await isSo()) return;
      await breath();
    }
    throw new Error(
      `it never came to that; the chat shows ${JSON.stringify(this.paper.sheet.map(({ text }) => text))}`,
    );
  }

  /** Lets time pass, with room for what each moment sets off. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      this.scene.clock.advance(Math.min(500, left));
      for (let i = 0; i < 30; i++) await breath();
    }
  }

  /** Until the chat shows these, in order; time passes meanwhile. */
  async shows(expected: readonly (string | RegExp)[], chat = "1"): Promise<void> {
    const isShown = (): boolean => {
      const shown = this.paper.shown(chat);
      return shown.length >= expected.length && expected.every((want, at) => matches(shown[at] ?? "", want));
    };
    for (let tries = 0; tries < 60 && !isShown(); tries++) await this.pass(500);
    if (!isShown()) throw new Error(`the chat shows ${JSON.stringify(this.paper.shown(chat), null, 1)}`);
  }

  #open(): [Live, Gateway] {
    const { scene, options } = this;
    const { clock, runtime } = scene;
    const log = createLogger({ path: `${scene.folder}/gateway.log`, clock });
    const host = `gateway-${++this.#hosts}` as HostId;
    let poke: () => void = () => undefined;
    const store = poking(scene.store, () => poke());
    const live = createLive({
      runtime,
      store: scene.store,
      clock,
      log,
      epoch: this.#hosts,
      onBug: (error) => void this.bugs.push(error),
      onTurnEnded: () => poke(),
    });
    const parts: GatewayParts = {
      store,
      live,
      host,
      clock,
      newId: seededIds(100 + this.#hosts),
      log,
      accounts: [this.#account()],
      keyRules: DEFAULT_KEY_RULES,
      approvals: "author",
      cwd: scene.folder,
      version: "0.0.0",
      model: () => options.models[0],
      commands: {},
      attachments: {
        keep: async ({ name, bytesMax }, chunks) => {
          let bytes = 0;
          for await (const chunk of chunks) bytes += chunk.length;
          if (bytes > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
          this.kept.push(name);
          return { sha256: "a".repeat(64), path: `/kept/${name}`, bytes };
        },
      },
      mayLeave: async (path) => ({ kind: "may-leave", path }),
      beforeDispatch: async () => ({ kind: "allow" }),
      announce: () => undefined,
      ...options.parts,
    };
    const gateway = createGateway(parts);
    poke = () => gateway.poke();
    return [live, gateway];
  }

  #account(): Account {
    const strict = { allow: ["42"], pairing: true, streams: false };
    return paperAccount(this.paper.kind(this.options.kind), { ...strict, ...this.options.account });
  }
}

/** As the host does: after these there may be something to send. */
const POKING = ["oweDelivery", "settle", "askApproval", "admit", "finishCommand", "offerPairing"] as const;

function poking(store: SessionStore, poke: () => void): SessionStore {
  const wrapped = POKING.map((verb) => {
    const act = store[verb] as (args: unknown) => Promise<unknown>;
    return [verb, (args: unknown) => act(args).finally(poke)] as const;
  });
  return { ...store, ...Object.fromEntries(wrapped) };
}

function matches(text: string, want: string | RegExp): boolean {
  return typeof want === "string" ? text === want : want.test(text);
}

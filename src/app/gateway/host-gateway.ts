/**
 * The gateway of a host: opened when everything else is up, closed before the store is. Until it is open, and in a host
 * that is no gateway, it has no platforms and nothing to do.
 */
import { randomIds } from "#base/ids.js";
import { redact } from "#base/redact.js";
import type { Account, AccountStanding, Gateway, GatewayParts } from "#gateway/gateway.js";
import { COME_BACK } from "#gateway/http-door.js";
import type { HttpAnswer, HttpRequest } from "#platform/platform.js";
import type { Live } from "#runtime/live/port.js";
import type { WorksParts } from "../host/make-server.js";
import { accountsOf } from "./accounts.js";
import { judgeLeaving } from "./leaving-files.js";
import { maskedKind } from "./masked-kind.js";
import type { Problem } from "./problem.js";
import { settingsMistakes } from "./settings-mistakes.js";
import { createShelf } from "./shelf.js";

export interface HostGatewayParts {
  readonly works: WorksParts;
  /** Behind the host's gate. */
  readonly live: Live;
  readonly commands: GatewayParts["commands"];
  restart(): void;
}

export interface GatewayStanding {
  readonly accounts: readonly AccountStanding[];
  readonly problems: readonly Problem[];
}

export interface HostGateway {
  /** Reads the settings and opens every account that can be. Call it once. */
  open(): Promise<void>;
  standing(): GatewayStanding;
  poke(): void;
  http(platform: string, request: HttpRequest): Promise<HttpAnswer>;
  drain(): void;
  stop(limitMs: number): Promise<void>;
}

export function createHostGateway(parts: HostGatewayParts): HostGateway {
  const { wish, extensions } = parts.works;
  const log = wish.log.child({ component: "gateway" });
  let gateway: Gateway | undefined;
  let problems: readonly Problem[] = [];
  let isDraining = false;
  return {
    async open() {
      // Platforms of plugins are known when plugins are; they are waited for a bounded time.
      await extensions.ready;
      const read = await accountsOf(wish, extensions.platforms());
      problems = read.problems;
      for (const { text, isRefusal } of problems) {
        if (isRefusal) log.error("a platform is not started", { why: text });
        else log.warn("a setting of a platform does nothing", { why: text });
      }
      const { createGateway } = await import("#gateway/create-gateway.js");
      // A stop that came in between has nothing to open any more.
      if (isDraining) return;
      gateway = createGateway(gatewayParts(parts, read.accounts, log));
      gateway.start();
      const platforms = [...new Set(read.accounts.map(({ kind }) => kind.name))];
      log.info("platforms are opened", { platforms });
      void extensions.ready.then(() => extensions.announce("gateway:startup", { platforms }));
    },
    standing: () => ({ accounts: (gateway?.standing() ?? []).map(cleanStanding), problems }),
    poke: () => gateway?.poke(),
    http: async (platform, request) => gateway?.http(platform, request) ?? COME_BACK,
    drain() {
      isDraining = true;
      gateway?.drain();
    },
    stop: async (limitMs) => gateway?.stop(limitMs),
  };
}

function gatewayParts(
  { works, live, commands, restart }: HostGatewayParts,
  accounts: readonly Account[],
  log: GatewayParts["log"],
): GatewayParts {
  const { wish, opened, store, extensions, models, cwd } = works;
  const { clock, version, home, config } = wish;
  const { group_sessions_per_user, thread_sessions_per_user } = config.values.sessions;
  return {
    store,
    live,
    host: opened.host,
    clock,
    newId: randomIds,
    log,
    accounts: accounts.map((account) => ({ ...account, kind: maskedKind(account.kind) })),
    keyRules: { groupSessionsPerUser: group_sessions_per_user, threadSessionsPerUser: thread_sessions_per_user },
    approvals: config.values.gateway.approvals,
    cwd,
    version,
    model: () => models.port.current(),
    commands,
    attachments: createShelf({ folder: home.attachments, store, clock }),
    mayLeave: (path) => judgeLeaving(path, { home, cwd }),
    beforeDispatch: (facts) => extensions.beforeDispatch(facts),
    announce: (name, payload) => extensions.announce(name, payload),
    restart: async () => restart(),
    restartObstacle: () => settingsMistakes(wish),
  };
}

/** What an adapter says about its line may hold anything. */
function cleanStanding(standing: AccountStanding): AccountStanding {
  const { state } = standing;
  if (state.kind === "down") return { ...standing, state: { ...state, why: redact(state.why) } };
  if (state.kind !== "refused") return standing;
  const hint = state.hint === null ? null : redact(state.hint);
  return { ...standing, state: { ...state, why: redact(state.why), hint } };
}

/**
 * Hooks and plugins of a host. They are opened after the doors, because a plugin may take its time to load; until they
 * are there no turn begins, so that no tool call passes a guard that was about to stand there. Whatever they do, the
 * host goes on without them.
 */
import type { InterceptedTurn } from "#agent/hook-interceptors.js";
import { type Interceptors, NO_INTERCEPTORS } from "#agent/interceptors.js";
import type { HostId } from "#base/ids.js";
import type { SlashCommand } from "#command/command.js";
import type { Listed } from "#command/ports.js";
import type { Dispatch, DispatchFacts } from "#gateway/gateway.js";
import type { Announced, HookPayload } from "#hook/hook.js";
import type { PlatformKind } from "#platform/platform.js";
import type { PluginRemark } from "#plugin/failure.js";
import type { Plugins } from "#plugin/plugins.js";
import type { SessionStore } from "#session/store.js";
import type { Tool } from "#tool/tool.js";
import { type Hooks, openHooks } from "../hooks.js";
import { openPlugins } from "../plugins.js";
import type { HostWish } from "./start-host.js";

export interface Extensions {
  /** Resolves when turns may begin. Never rejects. */
  readonly ready: Promise<void>;
  /** Opens them; call it once the doors are open. */
  open(): void;
  /** Leaves them closed, for a host that must stay alive whatever they do; `open` may still be called later. */
  leaveClosed(): void;
  /** Something was committed that a hook may be owed. */
  poke(): void;
  /** Tells hooks of what is not stored. */
  announce(name: Announced, payload: HookPayload): void;
  interceptors(turn: InterceptedTurn): Interceptors;
  /** [HK] Waits for hooks that are still being opened; where they cannot be, a message goes on as it is. */
  beforeDispatch(facts: DispatchFacts): Promise<Dispatch>;
  tools(): readonly Tool[];
  commands(): readonly SlashCommand[];
  plugins(): readonly Listed[];
  /** Platforms of plugins that can be run. */
  platforms(): readonly PlatformKind[];
  /** How hooks and plugins stand, for whoever asks about this host. */
  standing(): ExtensionsStanding;
  /** What a person should know, one sentence each. */
  notes(): readonly string[];
  /** A boundary is being told, or is due. */
  isBusy(): boolean;
  /** Tells what is owed for up to `limitMs`, then lets go; the next host tells the rest. */
  stop(limitMs: number): Promise<void>;
}

export interface ExtensionsStanding {
  /** Absent until they are opened. */
  readonly hooks?: { readonly running: string[]; readonly waiting: string[] };
  readonly plugin_problems: string[];
}

/** What ending the plugins' process may take. */
const PLUGINS_END_MS = 300;

/** Somebody may have set a guard, and it could not be put up: nothing is let past the place where it would stand. */
const UNGUARDED: Interceptors = {
  ...NO_INTERCEPTORS,
  beforeTool: async () => ({
    kind: "deny",
    text: "Hooks and plugins could not be opened, so nothing is run; talaria doctor says why. Tell the person.",
  }),
};

export function createExtensions(wish: HostWish, store: SessionStore, host: HostId): Extensions {
  const log = wish.log.child({ component: "hooks" });
  let hooks: Hooks | undefined;
  let plugins: Plugins | undefined;
  let failure: string | undefined;
  let isLeftClosed = false;
  let settleReady: () => void = () => undefined;
  let ready = new Promise<void>((resolve) => {
    settleReady = resolve;
  });
  const load = async (): Promise<void> => {
    plugins = await openPlugins(wish);
    hooks = await openHooks({ ...wish, store, host, log, plugins: plugins.hooks });
    for (const note of hooks.notes) log.warn(note);
    await hooks.start();
    // A gateway tells it when its platforms are known.
    if (wish.gateway === undefined) hooks.announce("gateway:startup", { platforms: [] });
  };
  return {
    get ready() {
      return ready;
    },
    open() {
      isLeftClosed = false;
      ready = load()
        .catch((error: unknown) => {
          failure = error instanceof Error ? error.message : String(error);
          log.error("hooks and plugins cannot be used", { error: failure });
        })
        .finally(settleReady);
    },
    leaveClosed() {
      isLeftClosed = true;
      settleReady();
    },
    poke: () => hooks?.poke(),
    announce: (name, payload) => hooks?.announce(name, payload),
    interceptors: (turn) => hooks?.interceptors(turn) ?? UNGUARDED,
    async beforeDispatch(facts) {
      await ready;
      return hooks?.beforeDispatch(dispatchPayload(facts)) ?? { kind: "allow" };
    },
    tools: () => plugins?.tools ?? [],
    commands: () => plugins?.commands ?? [],
    plugins: () => plugins?.listed() ?? [],
    platforms: () => plugins?.kinds ?? [],
    standing: () => ({
      ...(hooks && { hooks: { running: [...hooks.configured.running], waiting: [...hooks.configured.waiting] } }),
      plugin_problems: (plugins?.failures() ?? []).map(remarkText),
    }),
    notes: () => [
      ...(isLeftClosed ? ["safe mode: no hook is called and no plugin runs"] : []),
      ...(failure === undefined ? [] : [`hooks and plugins cannot be used, so no tool runs: ${failure}`]),
      ...(hooks?.notes ?? []),
      ...(plugins?.failures() ?? []).filter(({ kind }) => kind === "broken").map(remarkText),
    ],
    isBusy: () => hooks?.isBusy() ?? false,
    async stop(limitMs) {
      await hooks?.stop(limitMs);
      await plugins?.stop(PLUGINS_END_MS);
    },
  };
}

/** In the reference's keys: `event` is what a hook of it is given. */
function dispatchPayload({ platform, address, text, sessionKey }: DispatchFacts): HookPayload {
  const { chatId, chatType, chatName, threadId, userId, userName } = address;
  const source = {
    platform,
    chat_id: chatId ?? null,
    chat_type: chatType,
    chat_name: chatName ?? null,
    thread_id: threadId ?? null,
    user_id: userId ?? null,
    user_name: userName ?? null,
  };
  return { platform, session_key: sessionKey, user_id: source.user_id, text, event: { text, source } };
}

function remarkText({ plugin, text }: PluginRemark): string {
  return plugin === null ? text : `plugin ${plugin}: ${text}`;
}

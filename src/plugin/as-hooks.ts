/**
 * A plugin as a hook: one per plugin, by the name `plugin:NAME`, hearing what it registered. What it hears is known
 * before it is loaded, so that observers are owed what happens while the plugin host restarts.
 */
import { type Hook, type HookName, INTERCEPTED, INTERCEPTOR_TIME_MS, OBSERVER_TIME_MS } from "#hook/hook.js";
import type { CallPort } from "./call-port.js";
import { camelKeys } from "./camel.js";
import { PluginError } from "./failure.js";
import type { Contribution } from "./wire/frames.js";

export interface HookSource {
  readonly plugin: string;
  /** What it registered last; undefined once it is set aside: an interceptor that is gone must not deny for ever. */
  contribution(): Contribution | undefined;
}

export function asHook({ plugin, contribution }: HookSource, port: CallPort): Hook {
  return {
    name: `plugin:${plugin}`,
    get on() {
      return (contribution()?.hooks ?? []) as readonly HookName[];
    },
    async call(event, signal) {
      const isAsked = (INTERCEPTED as readonly string[]).includes(event.name);
      const answer = port.call({
        plugin,
        target: { kind: "hook", name: event.name, ...(event.key === undefined ? {} : { key: event.key }) },
        value: camelKeys(event.payload),
        timeMs: isAsked ? INTERCEPTOR_TIME_MS : OBSERVER_TIME_MS,
        signal,
        mayRepeat: true,
      });
      try {
        // A handler that has nothing to say answers null on the line.
        return (await answer) ?? undefined;
      } catch (error) {
        // Set aside while it was asked: it has no say any more, as if it had never been there [PL-9].
        if (isAsked && error instanceof PluginError && contribution() === undefined) return undefined;
        throw error;
      }
    },
  };
}

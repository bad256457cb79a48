/**
 * Names of hooks and the stored kinds behind them. The gateway's `session:start`, `session:end` and `session:reset` are
 * other names of facts that are stored once: they are told with the payload keys that the reference gives them.
 */
import type { BoundaryKind } from "#session/boundary.js";
import type { DueHook } from "#session/verbs/outbox.js";
import {
  ANNOUNCED,
  type Hook,
  type HookEvent,
  type HookName,
  INTERCEPTED,
  type Intercepted,
  OBSERVED,
  type Observed,
} from "./hook.js";

const OTHER_NAMES = {
  "session:start": "on_session_start",
  "session:end": "on_session_finalize",
  "session:reset": "on_session_reset",
} as const satisfies Partial<Record<Observed, BoundaryKind>>;

export const HOOK_NAMES: readonly HookName[] = [...OBSERVED, ...ANNOUNCED, ...INTERCEPTED];

export function isHookName(name: string): name is HookName {
  return HOOK_NAMES.some((known) => known === name);
}

export function isObserved(name: HookName): name is Observed {
  return OBSERVED.some((known) => known === name);
}

export function isIntercepted(name: HookName): name is Intercepted {
  return INTERCEPTED.some((known) => known === name);
}

/** The stored kinds a hook has to be owed for the names it hears. */
export function kindsOf({ on }: Pick<Hook, "on">): readonly BoundaryKind[] {
  return [...new Set(on.filter(isObserved).map(kindOf))];
}

/** One fact as the events a hook hears of it, in a fixed order: most hear one. */
export function eventsOf(due: DueHook, { on }: Pick<Hook, "on">): readonly HookEvent[] {
  return on.filter(isObserved).flatMap((name): readonly HookEvent[] => {
    if (kindOf(name) !== due.kind) return [];
    if (!isOtherName(name)) return [{ name, key: due.key, payload: due.payload }];
    return [{ name, key: `${due.key}:${name}`, payload: gatewayPayload(due) }];
  });
}

function kindOf(name: Observed): BoundaryKind {
  return isOtherName(name) ? OTHER_NAMES[name] : name;
}

function isOtherName(name: Observed): name is keyof typeof OTHER_NAMES {
  return Object.hasOwn(OTHER_NAMES, name);
}

function gatewayPayload({ payload, sessionKey, userId }: DueHook): HookEvent["payload"] {
  const { platform, session_id, conversation_id } = payload;
  return { platform, user_id: userId, session_id, conversation_id, session_key: sessionKey };
}

/**
 * A conversation's events as frames. Each event is rendered once, however many clients see it. Where one event makes
 * several frames only the last carries the number: a client that was cut between them is told all of them again.
 */
import type { ConversationId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import { type EventParams, eventFrame } from "#protocol/frame.js";
import type { NumberedEvent } from "#runtime/live/feed-event.js";
import type { Panels } from "./panel.js";
import { spokenEvents } from "./spoken.js";

export interface Rendering {
  /** A promise only where something has to be looked up. */
  frames(event: NumberedEvent): readonly string[] | Promise<readonly string[]>;
}

export interface Renderer {
  of(conversation: ConversationId): Rendering;
  /** The same as parameters, for an answer that holds events. */
  params(conversation: ConversationId, events: readonly NumberedEvent[]): Promise<EventParams[]>;
}

export function createRenderer(panels: Panels, log: Logger): Renderer {
  const known = new WeakMap<NumberedEvent, EventParams[] | Promise<EventParams[]>>();
  const encoded = new WeakMap<NumberedEvent, readonly string[] | Promise<readonly string[]>>();
  const render = (id: ConversationId, { seq, event }: NumberedEvent): EventParams[] | Promise<EventParams[]> => {
    if (event.type === "step") panels.note(id, event.usage.inputTokens ?? 0);
    const spoken = spokenEvents(event).map((one) => ({ ...one, session_id: id }));
    if (event.type !== "turn-ended" || event.report.outcome === "waiting") return numbered(spoken, seq);
    return panels
      .of(id, { isRunning: false })
      .then((panel) => numbered([...spoken, { type: "session.info", session_id: id, payload: panel }], seq))
      .catch((error: unknown) => {
        // The turn is stored and told; only the panel beside it is missing.
        log.warn("a panel cannot be made", { conversation: id, reason: String(error) });
        return numbered(spoken, seq);
      });
  };
  // Whoever is told again is told the same: a panel is looked up once.
  const paramsOf = (id: ConversationId, event: NumberedEvent): EventParams[] | Promise<EventParams[]> =>
    kept(known, event, () => render(id, event));
  const encode = (params: readonly EventParams[]): readonly string[] => params.map(eventFrame);
  return {
    of: (id) => ({
      frames: (event) =>
        kept(encoded, event, () => {
          const params = paramsOf(id, event);
          return Array.isArray(params) ? encode(params) : params.then(encode);
        }),
    }),
    async params(id, events) {
      return (await Promise.all(events.map((event) => paramsOf(id, event)))).flat();
    },
  };
}

function kept<T>(memory: WeakMap<NumberedEvent, T>, event: NumberedEvent, make: () => T): T {
  const before = memory.get(event);
  if (before !== undefined) return before;
  const made = make();
  memory.set(event, made);
  return made;
}

function numbered(params: readonly EventParams[], seq: number): EventParams[] {
  return params.map((one, at) => (at === params.length - 1 ? { ...one, seq } : one));
}

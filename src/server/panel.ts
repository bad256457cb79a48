/**
 * A conversation's panel (`session.info`): model, tools, directory, what it used so far. Model and tools of a host are
 * the same for all its conversations, so a panel costs one look at the card.
 */
import type { ConversationId } from "#base/ids.js";
import type { SessionPanel, Usage } from "#protocol/shapes.js";
import type { ConversationCard, SessionRow } from "#session/verbs/reading.js";
import type { Blank, ServerParts } from "./parts.js";

/** How full the window was is remembered for this many conversations; it is asked of nobody else. */
const REMEMBERED_MAX = 1_000;

export interface Panels {
  of(conversation: ConversationId, at?: { readonly isRunning?: boolean }): Promise<SessionPanel>;
  ofBlank(blank: Blank): Promise<SessionPanel>;
  usage(conversation: ConversationId): Promise<Usage>;
  /** How many tokens its last request had. */
  note(conversation: ConversationId, tokens: number): void;
}

export function createPanels(parts: Pick<ServerParts, "store" | "models" | "commands" | "host">): Panels {
  const { store, models, commands, host } = parts;
  const contextUsed = new Map<ConversationId, number>();
  const common = async (): Promise<Pick<SessionPanel, "tools" | "skills" | "version">> => {
    const tools = (await commands.tools?.()) ?? [];
    return { tools: { talaria: tools.map(({ name }) => name) }, skills: {}, version: host.version };
  };
  const usageOf = (card: ConversationCard): Usage => {
    const used = contextUsed.get(card.id);
    const { windowTokens, isWindowKnown } = models.current();
    const window = isWindowKnown && used !== undefined ? windowUse(used, windowTokens) : {};
    return { ...totals(card.sessions), model: card.model ?? models.current().label, ...window };
  };
  return {
    async of(conversation, at = {}) {
      const card = await store.show({ conversation });
      const label = (card === null ? undefined : ownModel(card)) ?? card?.model ?? models.current().label;
      return {
        ...(await common()),
        model: label,
        ...(card === null ? {} : aboutCard(card, usageOf(card))),
        running: at.isRunning ?? (card?.liveTurn ?? null) !== null,
        is_demo: isDemo(label),
      };
    },
    async ofBlank(blank) {
      const model = blank.model ?? models.current().label;
      const title = blank.title === undefined ? {} : { title: blank.title };
      return { ...(await common()), model, cwd: blank.cwd, running: false, is_demo: isDemo(model), ...title };
    },
    async usage(conversation) {
      const card = await store.show({ conversation });
      return card === null ? { ...totals([]), model: models.current().label } : usageOf(card);
    },
    note(conversation, tokens) {
      const [oldest] = contextUsed.keys();
      if (contextUsed.size >= REMEMBERED_MAX && oldest !== undefined) contextUsed.delete(oldest);
      contextUsed.set(conversation, tokens);
    },
  };
}

function aboutCard(card: ConversationCard, usage: Usage): Partial<SessionPanel> {
  const tip = card.sessions.at(-1);
  return {
    usage,
    tip_session_id: card.tip,
    ...(tip?.cwd == null ? {} : { cwd: tip.cwd }),
    ...(card.title === null ? {} : { title: card.title }),
    ...(tip?.settings["yolo"] === true ? { yolo: true } : {}),
  };
}

/** The model that was chosen for it, if one was. */
export function ownModel(card: ConversationCard): string | undefined {
  const own = card.sessions.at(-1)?.settings["model"];
  return typeof own === "string" ? own : undefined;
}

function isDemo(label: string): boolean {
  return label.startsWith("demo/");
}

function totals(sessions: readonly SessionRow[]): Omit<Usage, "model"> {
  const sum = (pick: (session: SessionRow) => number): number => sessions.reduce((all, one) => all + pick(one), 0);
  const input = sum(({ usage }) => usage.inputTokens);
  const output = sum(({ usage }) => usage.outputTokens);
  const isUnknown = sessions.some(({ isCostUnknown }) => isCostUnknown);
  return {
    input,
    output,
    total: input + output,
    calls: sum(({ usage }) => usage.modelCalls),
    cache_read: sum(({ usage }) => usage.cacheReadTokens),
    cache_write: sum(({ usage }) => usage.cacheWriteTokens),
    reasoning: sum(({ usage }) => usage.reasoningTokens),
    compressions: Math.max(0, sessions.length - 1),
    cost_usd: sum(({ costMicros }) => costMicros ?? 0) / 1e6,
    cost_status: isUnknown ? "unknown" : "estimated",
  };
}

function windowUse(used: number, max: number): Pick<Usage, "context_used" | "context_max" | "context_percent"> {
  return { context_used: used, context_max: max, context_percent: Math.round((used / max) * 100) };
}

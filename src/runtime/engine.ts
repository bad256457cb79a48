/** The runtime's own parts, made once and shared by its verbs. */
import type { PassRecord } from "#agent/compaction/antithrash.js";
import type { ConversationId } from "#base/ids.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import type { RunChild } from "#tool/delegate.js";
import type { Tool } from "#tool/tool.js";
import type { Costs } from "./costs.js";
import type { Face, TurnReport } from "./face.js";
import { createHistoryCache, type HistoryCache } from "./history-cache.js";
import type { RuntimeParts } from "./parts.js";

/** Where a delegated conversation comes from; its tools are fewer. */
export const DELEGATED_SOURCE = "delegate";
/** A delegated turn has no person to ask and hands nothing further on. */
const NOT_DELEGATED: ReadonlySet<string> = new Set(["delegate", "clarify"]);

export interface Engine extends RuntimeParts {
  readonly histories: HistoryCache;
  readonly runConversation: RunConversation;
  /** How the last compactions of a conversation went; a lost entry costs one futile pass. */
  readonly passes: Map<ConversationId, PassRecord>;
  /** Conversations that this process runs right now, each with the way to interrupt it. */
  readonly running: Map<ConversationId, Running>;
  toolsFor(turn: ClaimedTurn, runChild: RunChild): Promise<readonly Tool[]>;
}

export interface ConversationRun {
  readonly conversation: ConversationId;
  readonly face: Face;
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
  /** Of the turn that handed this work on. */
  readonly costs?: Costs;
}

/** Does all a conversation has to do; handed in, because a turn that delegates runs another conversation. */
export type RunConversation = (engine: Engine, run: ConversationRun) => Promise<readonly TurnReport[]>;

export interface Running {
  readonly done: Promise<unknown>;
  interrupt(): void;
}

export function createEngine(parts: RuntimeParts, runConversation: RunConversation): Engine {
  return {
    ...parts,
    histories: createHistoryCache(parts.store),
    runConversation,
    passes: new Map(),
    running: new Map(),
    async toolsFor(turn, runChild) {
      const tools = await parts.tools({ runChild });
      if (turn.source !== DELEGATED_SOURCE) return tools;
      const wanted = turn.settings["tools"];
      const isWanted = (name: string): boolean => !Array.isArray(wanted) || wanted.includes(name);
      return tools.filter(({ name }) => !NOT_DELEGATED.has(name) && isWanted(name));
    },
  };
}

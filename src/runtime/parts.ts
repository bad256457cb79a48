/** What the runtime is built from. The composition root makes these; the runtime knows no settings file and no disk. */
import type { Question } from "#agent/glimpse.js";
import type { InterceptedTurn } from "#agent/hook-interceptors.js";
import type { Interceptors } from "#agent/interceptors.js";
import type { TurnLimits } from "#agent/turn-parts.js";
import type { Clock } from "#base/clock.js";
import type { ConversationId, HostId, SessionId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { Random } from "#base/random.js";
import type { Model } from "#model/model.js";
import type { Address } from "#session/address.js";
import type { OwedPart } from "#session/delivery.js";
import type { SessionStore } from "#session/store.js";
import type { ClaimedTurn, OwedReply } from "#session/verbs/turns.js";
import type { RunChild } from "#tool/delegate.js";
import type { Tool } from "#tool/tool.js";

export interface RuntimeParts {
  readonly store: SessionStore;
  readonly host: HostId;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: RuntimeSettings;
  /** The models of a turn; a UserError that says what is missing ends the turn in those words. */
  models(turn: Pick<ClaimedTurn, "model" | "settings">): Promise<TurnModels>;
  /** Every tool there is; a delegated turn gets no tool that asks a person or delegates further. */
  tools(ports: ToolPorts): Promise<readonly Tool[]>;
  /** The stable part of the system prompt, from files: asked once per session, then kept with it. */
  prompt(turn: Pick<ClaimedTurn, "cwd" | "source">): Promise<string>;
  /** Who may step into a turn; absent: nobody. */
  interceptors?(turn: InterceptedTurn): Interceptors;
  /** For a tool's child processes; without our secrets. */
  environment(at: {
    readonly session: SessionId;
    readonly conversation: ConversationId;
  }): Readonly<Record<string, string>>;
  readonly home: string;
  readonly spoolDir: string;
  /** Where a conversation that names no directory works. */
  readonly cwd: string;
  /** How something is said in a chat, one part a message; absent: all in one. */
  readonly chat?: ChatWords;
  /** Foreground commands of a turn end with it, however it ended. */
  endTurn(turn: ClaimedTurn["turn"]): void;
}

export interface ChatWords {
  reply(address: Address, text: string): readonly OwedPart[];
  question(address: Address, question: Question): Promise<PutQuestion>;
}

/** How a question is put in chats: in that of its turn, and to an owner elsewhere who alone may answer it. */
export interface PutQuestion {
  readonly asking: OwedReply;
  readonly telling?: OwedReply;
}

export interface ToolPorts {
  readonly runChild: RunChild;
}

export interface TurnModels {
  readonly main: readonly [Model, ...Model[]];
  readonly auxiliary: readonly [Model, ...Model[]];
}

export interface RuntimeSettings extends TurnLimits {
  readonly isYolo: boolean;
  readonly isTitling: boolean;
  readonly compression: CompressionSettings;
  readonly budget: BudgetSettings;
}

export interface CompressionSettings {
  readonly isEnabled: boolean;
  /** Share of the window at which a conversation is compacted. */
  readonly threshold: number;
  /** Share of the threshold that stays as it is at the end. */
  readonly targetRatio: number;
  readonly protectFirst: number;
  readonly protectLast: number;
}

/** Zero: no limit. */
export interface BudgetSettings {
  readonly turnTokens: number;
  readonly turnUsd: number;
  readonly dayTokens: number;
  readonly dayUsd: number;
}

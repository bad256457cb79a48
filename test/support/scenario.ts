/**
 * What happens in a test, in words: somebody says something, a host claims and answers it, a turn calls tools,
 * a conversation is compacted. Everything goes through the store's port; times come from a clock that stands
 * still, and each act takes one second, so that the order of times is the order of acts.
 */
import type { ConversationId, HostId, PersonId, SessionId, ToolCallId } from "../../src/base/ids.js";
import type { Address } from "../../src/session/address.js";
import { BOUNDARY_KINDS, type BoundaryKind, type BoundaryPayload } from "../../src/session/boundary.js";
import type { Admission } from "../../src/session/input.js";
import type { ResetPolicy } from "../../src/session/reset-policy.js";
import type { SessionStore, VerbResult } from "../../src/session/store.js";
import type { Effect } from "../../src/session/tool-call.js";
import type { Inbound, InboundTarget } from "../../src/session/verbs/intake.js";
import type { Actor } from "../../src/session/verbs/lifecycle.js";
import type { HistoryRow } from "../../src/session/verbs/reading.js";
import type { ClaimedTurn, Settlement } from "../../src/session/verbs/turns.js";
import { ManualClock } from "./manual-clock.js";

export const CHAT = "agent:main:telegram:dm:1";
export const OTHER_CHAT = "agent:main:telegram:dm:2";
export const HOST = "host-a" as HostId;
export const OTHER_HOST = "host-b" as HostId;
export const OWNER = "owner" as PersonId;
export const ADDRESS: Address = { platform: "telegram", account: "bot", chatType: "dm", chatId: "1" };
export const START = { source: "telegram", model: "model-a", cwd: "/work", settings: { effort: "high" } } as const;
export const HASH = "a".repeat(64);
/** A chat acts through its route; a terminal has none. */
export const IN_CHAT: Actor = { platform: "telegram", routeKey: CHAT };
export const IN_OTHER_CHAT: Actor = { platform: "telegram", routeKey: OTHER_CHAT };
export const AT_TERMINAL: Actor = { platform: "cli" };

/** A store that a contract suite may use up, and what this implementation can do beyond the port. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Ends the store and opens the same files again; absent where nothing outlives the process. */
  readonly reopen?: () => Promise<SessionStore>;
  /** Makes the storage refuse titles until the returned function is called. */
  readonly refuseTitles?: () => () => void;
}

export interface StoreSettings {
  readonly queueMax?: number;
}
export type OpenStore = (settings?: StoreSettings) => Promise<StoreUnderTest>;

export interface Saying {
  readonly key?: string;
  readonly to?: InboundTarget;
  readonly eventId?: string;
  readonly account?: string;
  readonly platform?: string;
  readonly policy?: ResetPolicy;
  readonly mode?: Inbound["mode"];
  readonly title?: string;
  readonly author?: Inbound["author"];
  readonly body?: Inbound["body"];
}

export interface Told {
  readonly kind: BoundaryKind;
  readonly payload: BoundaryPayload;
  readonly key: string;
}

export type Admitted = Extract<Admission, { kind: "admitted" }>;

export class Scenario {
  store: SessionStore;
  readonly clock = new ManualClock();
  readonly #under: StoreUnderTest;
  #events = 0;

  private constructor(under: StoreUnderTest) {
    this.#under = under;
    this.store = under.store;
  }

  /** A fresh store with a subscriber that hears every boundary. */
  static async open(open: OpenStore, settings?: StoreSettings): Promise<Scenario> {
    const scenario = new Scenario(await open(settings));
    await scenario.store.subscribeHooks({ subscriber: "listener", kinds: BOUNDARY_KINDS });
    return scenario;
  }

  get isDurable(): boolean {
    return this.#under.reopen !== undefined;
  }

  get refuseTitles(): (() => () => void) | undefined {
    return this.#under.refuseTitles;
  }

  /** The program ends and starts again. */
  async restart(): Promise<void> {
    if (this.#under.reopen === undefined) throw new Error("this store does not outlive its process");
    this.store = await this.#under.reopen();
  }

  /** Time for the next act. */
  tick(): number {
    return this.clock.advance(1_000);
  }

  inbound(text: string, how: Saying = {}): Inbound {
    const route = { kind: "route", key: how.key ?? CHAT, chatType: "dm", ...(how.policy && { policy: how.policy }) };
    return {
      platform: how.platform ?? "telegram",
      account: how.account ?? "bot",
      eventId: how.eventId ?? `event-${++this.#events}`,
      to: how.to ?? (route as InboundTarget),
      text,
      address: ADDRESS,
      start: START,
      ...(how.mode && { mode: how.mode }),
      ...(how.title !== undefined && { title: how.title }),
      ...(how.author && { author: how.author }),
      ...(how.body && { body: how.body }),
      nowMs: this.tick(),
    };
  }

  say(text: string, how: Saying = {}): Promise<Admission> {
    return this.store.admit(this.inbound(text, how));
  }

  async said(text: string, how: Saying = {}): Promise<Admitted> {
    return only("admitted", await this.say(text, how));
  }

  async claim(conversation: ConversationId, host = HOST): Promise<ClaimedTurn> {
    return only("claimed", await this.store.claim({ conversation, host, nowMs: this.tick() }));
  }

  /** Said and claimed: the turn runs. */
  async turn(text: string, how: Saying = {}): Promise<ClaimedTurn> {
    const { conversation } = await this.said(text, how);
    return this.claim(conversation);
  }

  settle(turn: ClaimedTurn, as: Partial<Settlement> = {}): Promise<VerbResult<"settle">> {
    return this.store.settle({ ...passOf(turn), outcome: "completed", nowMs: this.tick(), ...as });
  }

  async answer(conversation: ConversationId, text: string): Promise<void> {
    only("settled", await this.settle(await this.claim(conversation), { final: { text } }));
  }

  /** A whole turn: question and answer. */
  async exchange(question: string, answer: string, how: Saying = {}): Promise<Admitted> {
    const admitted = await this.said(question, how);
    await this.answer(admitted.conversation, answer);
    return admitted;
  }

  /** The model asks for one call; nothing has started. */
  async callTool(turn: ClaimedTurn, effect: Effect = "read-only", callId = "call-1"): Promise<ToolCallId> {
    const step = await this.store.recordStep({
      ...passOf(turn),
      text: "let me look",
      body: { toolCalls: [{ id: callId, name: "look", arguments: "{}" }] },
      calls: [{ callId, name: "look", effect, argsHash: HASH }],
      nowMs: this.tick(),
    });
    const call = only("recorded", step).calls[0];
    if (call === undefined) throw new Error("the step has no call");
    return call.id;
  }

  startCall(turn: ClaimedTurn, call: ToolCallId): Promise<VerbResult<"startCalls">> {
    return this.store.startCalls({ ...passOf(turn), calls: [call], nowMs: this.tick() });
  }

  finishCall(turn: ClaimedTurn, call: ToolCallId, text: string): Promise<VerbResult<"finishCall">> {
    const result = { role: "tool", text } as const;
    return this.store.finishCall({ ...passOf(turn), call, outcome: "ok", result, nowMs: this.tick() });
  }

  /** The model asks for one call, it runs, and its result is history. */
  async useTool(turn: ClaimedTurn, result: string, callId = "call-1"): Promise<ToolCallId> {
    const call = await this.callTool(turn, "read-only", callId);
    only("started", await this.startCall(turn, call));
    only("finished", await this.finishCall(turn, call, result));
    return call;
  }

  /** Replaces the tip's content by one summary, and answers the child's id. */
  async compact(conversation: ConversationId, summary = "summary"): Promise<SessionId> {
    return only("rotated", await this.rotate(conversation, summary)).session;
  }

  async rotate(conversation: ConversationId, summary = "summary"): Promise<VerbResult<"rotate">> {
    return this.store.rotate({ ...(await this.summarised(conversation, summary)), nowMs: this.tick() });
  }

  /** What a compaction would commit, made from the conversation as it is now. */
  async summarised(
    conversation: ConversationId,
    summary = "summary",
  ): Promise<Omit<Parameters<SessionStore["rotate"]>[0], "nowMs">> {
    const now = await this.store.tipHistory({ conversation });
    if (now === null) throw new Error("there is nothing to summarise");
    const { tip, seq, undone } = now;
    const messages = [{ role: "system", text: summary }] as const;
    return { conversation, tip, seq, undone, messages, tokensBefore: 1_000, tokensAfter: 100 };
  }

  /** What hooks were told since the last time, in the order of delivery. */
  async told(): Promise<Told[]> {
    const told: Told[] = [];
    for (;;) {
      const due = await this.store.claimHooks({ host: HOST, limit: 100, nowMs: this.clock.nowMs() });
      if (due.length === 0) return told;
      for (const { kind, payload, key } of due) {
        told.push({ kind, payload, key });
        await this.store.settleHook({ key, result: { kind: "done" }, nowMs: this.clock.nowMs() });
      }
    }
  }

  async toldKinds(): Promise<string[]> {
    return (await this.told()).map(({ kind }) => kind);
  }

  /** The whole conversation as `role: text`, superseded messages left out. */
  async transcript(conversation: ConversationId): Promise<string[]> {
    return lines(await this.store.history({ conversation, afterSeq: 0, limit: 1_000 }));
  }

  /** What the next request would be made of. */
  async context(conversation: ConversationId): Promise<string[]> {
    return lines((await this.store.tipHistory({ conversation }))?.messages ?? []);
  }

  async card(conversation: ConversationId): Promise<NonNullable<VerbResult<"show">>> {
    const card = await this.store.show({ conversation });
    if (card === null) throw new Error(`${conversation} is not shown`);
    return card;
  }

  async route(key = CHAT): Promise<NonNullable<VerbResult<"route">>> {
    const route = await this.store.route({ key });
    if (route === null) throw new Error(`${key} has no route`);
    return route;
  }
}

export function passOf({ turn, epoch }: ClaimedTurn): { turn: ClaimedTurn["turn"]; epoch: number } {
  return { turn, epoch };
}

/** The outcome of this kind; any other fails the test with what came instead. */
export function only<O extends { readonly kind: string }, K extends O["kind"]>(
  kind: K,
  outcome: O,
): Extract<O, { readonly kind: K }> {
  if (outcome.kind !== kind) throw new Error(`expected ${kind}, got ${JSON.stringify(outcome)}`);
  return outcome as Extract<O, { readonly kind: K }>;
}

function lines(messages: readonly Pick<HistoryRow, "role" | "text">[]): string[] {
  return messages.map(({ role, text }) => `${role}: ${text}`);
}

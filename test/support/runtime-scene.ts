/**
 * A runtime over a real SQLite file with a scripted model, tools that count what they did, and a clock that a test
 * moves. `restart` is a new process's view of the same files: new host, no memory of the old one.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Glimpse, Question } from "#agent/glimpse.js";
import { createInterceptors } from "#agent/hook-interceptors.js";
import type { PersonsAnswer } from "#agent/turn-parts.js";
import { type ConversationId, type HostId, seededIds } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { Hook, HookEvent } from "#hook/hook.js";
import type { Model } from "#model/model.js";
import type { Face, TurnReport } from "#runtime/face.js";
import type { ChatWords, RuntimeSettings } from "#runtime/parts.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import type { Effect } from "#session/tool-call.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { createDelegate } from "#tool/delegate.js";
import { defineTool, type Guard, type Tool, type ToolContext, type ToolResult } from "#tool/tool.js";
import { ManualClock } from "./manual-clock.js";
import { removeFolder } from "./remove-folder.js";

export const SETTINGS: RuntimeSettings = {
  stepsMax: 20,
  retriesMax: 6,
  retryWaitMaxMs: 120_000,
  isYolo: false,
  isTitling: false,
  compression: { isEnabled: true, threshold: 0.5, targetRatio: 0.2, protectFirst: 3, protectLast: 20 },
  budget: { turnTokens: 0, turnUsd: 0, dayTokens: 0, dayUsd: 0 },
};

export interface SceneOptions {
  readonly models: readonly [Model, ...Model[]];
  readonly auxiliary?: readonly [Model, ...Model[]];
  readonly tools?: readonly Tool[];
  readonly settings?: Partial<RuntimeSettings>;
  /** Asked by every turn; absent: nobody is. */
  readonly hooks?: readonly Hook[];
  /** How things are said in chats. */
  readonly chat?: ChatWords;
  /** Wraps the store, to see or to fail its verbs. */
  readonly wrap?: (store: SessionStore) => SessionStore;
}

export class RuntimeScene {
  readonly clock = new ManualClock();
  readonly folder = mkdtempSync(join(tmpdir(), "talaria-runtime-"));
  readonly glimpses: Glimpse[] = [];
  /** What each tool did, in order. */
  readonly effects: string[] = [];
  readonly ended: string[] = [];
  /** What was only announced to hooks. */
  readonly announced: HookEvent[] = [];
  store: SessionStore;
  runtime: Runtime;
  #hosts = 0;
  #events = 0;
  options: SceneOptions;

  constructor(options: SceneOptions) {
    this.options = options;
    [this.store, this.runtime] = this.#open();
  }

  restart(options: Partial<SceneOptions> = {}): this {
    this.options = { ...this.options, ...options };
    [this.store, this.runtime] = this.#open();
    return this;
  }

  remove(): void {
    removeFolder(this.folder);
  }

  async say(text: string, to?: ConversationId, more: Partial<Inbound> = {}): Promise<ConversationId> {
    const admission = await this.runtime.admit({
      platform: "cli",
      account: "local",
      eventId: `event-${++this.#events}`,
      to: to === undefined ? { kind: "new" } : { kind: "conversation", id: to },
      text,
      start: { source: "cli", cwd: this.folder },
      nowMs: this.clock.nowMs(),
      ...more,
    });
    if (admission.kind !== "admitted" && admission.kind !== "duplicate")
      throw new Error(`not admitted: ${admission.kind}`);
    return admission.conversation;
  }

  face(more: Partial<Face> = {}): Face {
    return { platform: "cli", isAsked: true, onGlimpse: (glimpse) => void this.glimpses.push(glimpse), ...more };
  }

  run(conversation: ConversationId, more: Partial<Face> = {}): Promise<readonly TurnReport[]> {
    return this.runtime.run(conversation, this.face(more));
  }

  /** Says something and answers the report of its turn. */
  async turn(text: string, to?: ConversationId, more: Partial<Face> = {}): Promise<TurnReport> {
    const conversation = await this.say(text, to);
    const report = (await this.run(conversation, more)).at(-1);
    if (report === undefined) throw new Error("no turn was run");
    return report;
  }

  history(conversation: ConversationId): Promise<readonly HistoryRow[]> {
    return this.store.history({ conversation, afterSeq: 0, limit: 10_000 });
  }

  /** A person who answers every question the same way, and what they were asked. */
  person(answer: PersonsAnswer | undefined): { ask: NonNullable<Face["ask"]>; asked: Question[] } {
    const asked: Question[] = [];
    return {
      asked,
      ask: async (_approval, question) => {
        asked.push(question);
        return answer;
      },
    };
  }

  /** A tool that notes what it did; `act` may do more, fail or hang. */
  tool(
    name: string,
    effect: Effect,
    more: { guard?: Guard; act?: (context: ToolContext) => Promise<ToolResult> | ToolResult } = {},
  ): Tool {
    return defineTool({
      name,
      description: `A test tool (${effect}).`,
      input: z.object({ n: z.number().optional() }),
      effect,
      limits: { timeMs: 5_000, outputChars: 10_000 },
      ...(more.guard === undefined ? {} : { guard: () => more.guard as Guard }),
      summary: ({ n }) => `${name} ${n ?? ""}`.trim(),
      run: async ({ n }, context) => {
        this.effects.push(n === undefined ? name : `${name}:${n}`);
        return (await more.act?.(context)) ?? { kind: "ok", text: `${name} is done` };
      },
    });
  }

  #hookParts(hooks: readonly Hook[]): Parameters<typeof createInterceptors>[0] {
    const log = createLogger({ path: join(this.folder, "talaria.log"), clock: this.clock });
    return {
      hooks,
      log,
      clock: this.clock,
      announce: (name, payload) => void this.announced.push({ name, payload }),
    };
  }

  #open(): [SessionStore, Runtime] {
    const { options } = this;
    const host = `host-${++this.#hosts}` as HostId;
    const opened = openInlineStore({
      path: join(this.folder, "state.db"),
      newId: seededIds(this.#hosts),
      clock: this.clock,
    });
    const store = options.wrap?.(opened.store) ?? opened.store;
    const runtime = createRuntime({
      store,
      host,
      clock: this.clock,
      random: () => 0.5,
      log: createLogger({ path: join(this.folder, "talaria.log"), clock: this.clock }),
      settings: { ...SETTINGS, ...options.settings },
      models: async () => ({ main: options.models, auxiliary: options.auxiliary ?? options.models }),
      tools: async ({ runChild }) => [...(options.tools ?? []), createDelegate(runChild)],
      prompt: async () => "You are a test.",
      environment: ({ session }) => ({ TALARIA_SESSION_ID: session }),
      home: join(this.folder, "home"),
      spoolDir: join(this.folder, "spool"),
      cwd: this.folder,
      endTurn: (turn) => void this.ended.push(turn),
      ...(options.chat && { chat: options.chat }),
      ...(options.hooks && { interceptors: (turn) => createInterceptors(this.#hookParts(options.hooks ?? []), turn) }),
    });
    return [store, runtime];
  }
}

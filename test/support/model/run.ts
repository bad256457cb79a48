/**
 * Plays a list of operations on a store and on the model side by side. After each one the answers, what can be
 * observed of the conversation it touched, and the invariants are compared; at the end, everything.
 */
import { seededIds } from "#base/ids.js";
import type { VerbArgs, VerbName, VerbResult } from "#session/store.js";
import { runBatch, type StoreResponse } from "#store/sqlite/batch.js";
import type { Connection } from "#store/sqlite/connection.js";
import { brokenInvariants } from "./invariants.js";
import { playLifecycle } from "./lifecycle.js";
import { compareAll, compareConversation, same } from "./observe.js";
import { type Op, WILD_FROM } from "./ops.js";
import { playOutbox } from "./outbox.js";
import { playTurns } from "./turns.js";
import { at, type Conversation, World } from "./world.js";

export const SUBSCRIBER = "memory";
export const CHATS = ["agent:main:telegram:dm:1", "agent:main:telegram:dm:2", "agent:main:telegram:dm:3"] as const;

/** The store as the run sees it. `reopen` is a death and a new start on the same file. */
export interface Subject {
  open(): Connection;
  reopen?(): Connection;
}

export class Run {
  readonly world = new World();
  readonly #subject: Subject;
  readonly #newId = seededIds(42);
  #db: Connection;
  #requests = 0;
  texts = 0;

  constructor(subject: Subject) {
    this.#subject = subject;
    this.#db = subject.open();
    const kinds = ["on_session_start", "on_session_end", "on_session_finalize", "on_session_reset", "session:compress"];
    this.call("subscribeHooks", { subscriber: SUBSCRIBER, kinds: kinds as never });
    this.beginHost();
  }

  play(ops: readonly Op[]): void {
    for (const [index, op] of ops.entries()) {
      this.world.nowMs += 1_000;
      const touched = playTurns(this, op) ?? playLifecycle(this, op) ?? playOutbox(this, op) ?? [];
      for (const conversation of touched) compareConversation(this, conversation);
      same(brokenInvariants(this.#db), [], `the invariants after operation ${index} (${op.op})`);
    }
    compareAll(this);
  }

  /** The verb's answer, or `bug` when the store says that a caller broke a rule; then nothing may have changed. */
  call<V extends VerbName>(verb: V, args: VerbArgs<V>): VerbResult<V> | { readonly kind: "bug" } {
    const request = { id: ++this.#requests, verb, args, deadlineMs: Number.MAX_SAFE_INTEGER };
    const [response] = runBatch({ db: this.#db, newId: this.#newId }, [request], this.world.nowMs) as [StoreResponse];
    if (response.ok) return response.value as VerbResult<V>;
    if (response.error.kind === "bug") return { kind: "bug" };
    throw new Error(`${verb}: ${response.error.message}`);
  }

  /** A verb that has no reason to fail. */
  sure<V extends VerbName>(verb: V, args: VerbArgs<V>): VerbResult<V> {
    const answer = this.call(verb, args);
    if (typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === "bug")
      throw new Error(`${verb} was refused`);
    return answer as VerbResult<V>;
  }

  /** The host dies; another one starts on what is stored. */
  die(): void {
    const dead = Number(this.world.host.slice("host-".length));
    if (this.#subject.reopen !== undefined) this.#db = this.#subject.reopen();
    this.world.host = `host-${dead + 1}`;
    this.beginHost();
  }

  beginHost(): void {
    const { host, nowMs } = this.world;
    this.sure("beginHost", { id: host as never, pid: 1, version: "1", nowMs });
  }

  /** One of those that the operation is meant for; now and then, or where there is none, any. */
  conversation(pick: number, isMeant: (it: Conversation) => boolean = () => true): Conversation | undefined {
    const { conversations } = this.world;
    const meant = pick >= WILD_FROM ? [] : conversations.filter(isMeant);
    const choice = meant.length > 0 ? meant : conversations;
    return choice.length === 0 ? undefined : at(choice, pick % choice.length);
  }

  text(what: string): string {
    return `${what} ${++this.texts}`;
  }
}

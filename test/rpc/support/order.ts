/**
 * The order of events as clients rely on it, checked on any recorded stream of one session: one `message.start`, what
 * belongs to the turn, exactly one end, then `session.info` at rest. Answers with every breach, in words.
 */
import type { SeenEvent } from "./client.js";

export interface Recording {
  /** The recording begins inside a turn: its start was missed. */
  readonly isMidTurn?: boolean;
  /** Nothing is under way any more: every turn has ended and was followed by `session.info`. */
  readonly isSettled?: boolean;
}

/** May come without a number: told together with the numbered one that follows, and told again with it. */
const TOGETHER = new Set(["message.start", "message.complete", "error", "status.update", "session.info"]);
/** Only while a turn is under way. */
const INSIDE = new Set([
  "message.delta",
  "message.user",
  "message.steered",
  "message.retracted",
  "message.step",
  "model.retrying",
  "model.fallback",
  "reasoning.delta",
  "reasoning.available",
  "tool.generating",
  "tool.start",
  "tool.progress",
  "tool.complete",
  "approval.request",
  "clarify.request",
  "sudo.request",
  "secret.request",
]);
const QUESTIONS = new Set(["approval.request", "clarify.request", "sudo.request", "secret.request"]);

export function orderFaults(events: readonly SeenEvent[], recording: Recording = {}): readonly string[] {
  const checker = new OrderChecker(recording.isMidTurn === true);
  events.forEach((event, at) => {
    checker.see(event, at);
  });
  if (recording.isSettled === true) checker.settled();
  return checker.faults;
}

class OrderChecker {
  readonly faults: string[] = [];
  readonly #open = new Map<string, string>();
  readonly #done = new Set<string>();
  #isInTurn: boolean;
  /** A turn ended, and `session.info` has to follow. */
  #owesPanel = false;
  #question: string | undefined;
  #streamed = "";
  #wasRetracted = false;
  /** Where the fault of a second start stands, until it is known why it came. */
  #doubted: number | undefined;
  #seq = -1;
  readonly #beganInside: boolean;

  constructor(isMidTurn: boolean) {
    this.#isInTurn = isMidTurn;
    this.#beganInside = isMidTurn;
  }

  see(event: SeenEvent, at: number): void {
    const fault = (words: string): void => {
      this.faults.push(`${at} ${event.type}: ${words}`);
    };
    this.#number(event, fault);
    if (INSIDE.has(event.type) && !this.#isInTurn) fault("outside a turn");
    if (event.type === "message.start") this.#start(fault);
    else if (event.type === "message.user") this.#user(event);
    else if (event.type === "message.complete" || event.type === "error") this.#end(event, fault);
    else if (event.type === "session.info") this.#panel(event, fault);
    else if (event.type === "message.delta") this.#streamed += String(event.payload?.["text"] ?? "");
    else if (event.type === "message.retracted") this.#wasRetracted = true;
    else if (event.type.startsWith("tool.")) this.#tool(event, fault);
    else if (QUESTIONS.has(event.type)) this.#ask(event, fault);
    else if (event.type === "question.answered") this.#question = undefined;
  }

  settled(): void {
    if (this.#isInTurn) this.faults.push("the last turn has no end");
    if (this.#owesPanel) this.faults.push("no session.info after the last turn");
  }

  #number({ seq, type }: SeenEvent, fault: (words: string) => void): void {
    if (seq === undefined) {
      if (!TOGETHER.has(type)) fault("without a number");
      return;
    }
    if (seq <= this.#seq) fault(`seq ${seq} after ${this.#seq}`);
    this.#seq = Math.max(this.#seq, seq);
  }

  #start(fault: (words: string) => void): void {
    if (this.#isInTurn) {
      fault("inside a turn");
      this.#doubted = this.faults.length - 1;
    }
    if (this.#owesPanel) fault("the turn before has no session.info");
    this.#isInTurn = true;
    this.#open.clear();
    this.#streamed = "";
    this.#wasRetracted = false;
    this.#question = undefined;
  }

  /** The host died inside the turn, and the next one takes it up: it begins anew. */
  #user({ payload }: SeenEvent): void {
    if (this.#doubted !== undefined && payload?.["is_recovered"] === true) this.faults.splice(this.#doubted, 1);
    this.#doubted = undefined;
  }

  #end(event: SeenEvent, fault: (words: string) => void): void {
    if (!this.#isInTurn) fault("a second end, or one without a start");
    const { status, text, notice } = event.payload ?? {};
    if (status === "complete" && this.#open.size > 0) fault(`open tools: ${[...this.#open.values()].join(", ")}`);
    // Without words of the model's own, what the person is told about that stands in their place.
    const isOwn = event.type === "message.complete" && text !== notice;
    const isWhole = !this.#wasRetracted && !this.#beganInside && isOwn;
    if (isWhole && status === "complete" && !this.#streamed.trimEnd().endsWith(String(text).trim())) {
      fault(`the text is not the end of what was streamed: ${JSON.stringify([this.#streamed, text])}`);
    }
    this.#isInTurn = false;
    this.#owesPanel = true;
    this.#question = undefined;
  }

  #panel({ payload }: SeenEvent, fault: (words: string) => void): void {
    if (!this.#owesPanel) return;
    this.#owesPanel = false;
    if (payload?.["running"] !== false) fault("after a turn, and not at rest");
    if (payload?.["usage"] === undefined) fault("after a turn, without usage");
  }

  #tool({ type, payload }: SeenEvent, fault: (words: string) => void): void {
    const id = String(payload?.["tool_id"]);
    const name = String(payload?.["name"]);
    if (type === "tool.start") {
      if (this.#open.has(id) || this.#done.has(id)) fault(`${id} starts twice`);
      this.#open.set(id, name);
    } else if (type === "tool.complete") {
      if (this.#done.has(id)) fault(`${id} ends twice`);
      // What was denied or never got its turn has an end and no start; clients print a line for it all the same.
      const isUnstarted = payload?.["outcome"] !== "ok";
      if (!this.#done.has(id) && this.#open.get(id) !== name && !this.#beganInside && !isUnstarted) {
        fault(`${id} (${name}) was not started`);
      }
      this.#open.delete(id);
      this.#done.add(id);
    } else if (type === "tool.progress" && ![...this.#open.values()].includes(name) && !this.#beganInside) {
      fault(`no open tool is called ${name}`);
    }
  }

  #ask(event: SeenEvent, fault: (words: string) => void): void {
    if (this.#question !== undefined) fault(`asked while ${this.#question} is open`);
    this.#question = event.type;
  }
}

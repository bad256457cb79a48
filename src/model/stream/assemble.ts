/**
 * From the parts of a stream to one outcome: a fold without I/O, the same whatever the chunks were. It decides
 * whether a step is whole, and nothing of a step that is not whole leaves it but its text.
 *
 * - [MD-1] Whole means: the protocol's own end with its reason, a finish part, no error on the way.
 * - [MD-3] Calls exist only in a whole step.
 * - [MD-4] Whether tools are asked for is decided by the calls that are there, never by the finish reason.
 */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { failureOf } from "../failure/failure.js";
import { field } from "../json-field.js";
import { ANSWER_CHARS_MAX, CALLS_MAX } from "../limits.js";
import type {
  CompleteStep,
  Dialect,
  ModelFailure,
  ModelUsage,
  OpaqueMetadata,
  OpaquePart,
  Price,
  StepOutcome,
} from "../model.js";
import { keptMetadata } from "../opaque.js";
import { type CallCollector, collectCalls, type FinishedCalls } from "./assemble-calls.js";
import { collectReasoning, type ReasoningCollector, type ReasoningPart } from "./assemble-reasoning.js";
import { type FinishPart, usageOf, withCost } from "./usage.js";
import { joinText } from "./well-formed.js";
import { isWireEnd, meaningOf, wireReason } from "./wire-end.js";
import { isUnknownEvent } from "./wire-noise.js";

export interface AssemblyRules {
  readonly dialect: Dialect;
  /** Reasoning without a signature goes back too, for providers that ask for it. */
  readonly keepsPlainReasoning: boolean;
  readonly price: Price | undefined;
  readonly newId: () => string;
  readonly nowMs: () => number;
}

/** Told of what may be shown; never of half a character. */
export interface AssemblyWatch {
  onText?(delta: string): void;
  onReasoning?(delta: string): void;
  onCall?(name: string): void;
}

export type AssembledStep = Exclude<StepOutcome, { readonly kind: "aborted" }>;

export class Assembly {
  readonly #rules: AssemblyRules;
  readonly #watch: AssemblyWatch;
  readonly #joiner = joinText();
  readonly #calls: CallCollector;
  readonly #reasoning: ReasoningCollector;
  #text = "";
  #chars = 0;
  #isApart = false;
  #textMetadata: OpaqueMetadata | undefined;
  #event: unknown;
  #bill: unknown;
  #hasEnd = false;
  #reason: string | undefined;
  #finish: FinishPart | undefined;
  #failure: ModelFailure | undefined;

  constructor(rules: AssemblyRules, watch: AssemblyWatch = {}) {
    this.#rules = rules;
    this.#watch = watch;
    this.#calls = collectCalls(rules.dialect, rules.newId);
    this.#reasoning = collectReasoning(rules.dialect, rules.keepsPlainReasoning);
  }

  /** On the chat wire calls are read from the events, not from the package's parts. */
  get #readsCalls(): boolean {
    return this.#rules.dialect === "openai-chat";
  }

  /** The text so far. */
  get partial(): string {
    return this.#text;
  }

  /** Nothing that can still come would change the outcome. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  take(part: LanguageModelV3StreamPart): void {
    if (this.#failure !== undefined) return;
    switch (part.type) {
      case "raw":
        this.#takeEvent(part.rawValue);
        break;
      case "text-start":
      case "text-delta":
      case "text-end":
        this.#takeText(part);
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.#takeReasoning(part);
        break;
      case "tool-input-start":
        this.#isApart = true;
        if (!this.#readsCalls) this.#watch.onCall?.(part.toolName);
        break;
      case "tool-input-delta":
        if (!this.#readsCalls) this.#count(part.delta.length);
        break;
      case "tool-call":
        this.#isApart = true;
        this.#calls.takePart(part);
        break;
      case "finish":
        this.#finish = part;
        break;
      case "error":
        this.#takeError(part.error);
        break;
      default:
        break;
    }
  }

  /** The stream is over. */
  outcome(): AssembledStep {
    this.#addText(this.#joiner.end());
    const calls = this.#calls.finish();
    const failure = this.#failure ?? this.#verdict(calls);
    return failure === undefined ? this.#complete(calls) : this.failed(failure);
  }

  /** The stream broke, or was given up, for this reason. */
  failed(failure: ModelFailure): AssembledStep {
    return { kind: "failed", failure, partial: this.#text, usage: this.#usage() };
  }

  #takeEvent(event: unknown): void {
    this.#event = event;
    this.#reason = wireReason(this.#rules.dialect, event) ?? this.#reason;
    this.#bill = field(event, "usage") ?? this.#bill;
    this.#hasEnd ||= isWireEnd(this.#rules.dialect, event);
    const taken = this.#calls.takeEvent(event);
    if (taken === undefined) return;
    this.#count(taken.chars);
    for (const name of taken.names) this.#watch.onCall?.(name);
  }

  #takeText(part: Extract<LanguageModelV3StreamPart, { type: "text-start" | "text-delta" | "text-end" }>): void {
    this.#textMetadata = keptMetadata(this.#rules.dialect, "text", part.providerMetadata) ?? this.#textMetadata;
    if (part.type !== "text-delta") return;
    this.#count(part.delta.length);
    this.#addText(this.#joiner.add(part.delta));
  }

  #takeReasoning(part: ReasoningPart): void {
    if (part.type === "reasoning-delta") this.#count(part.delta.length);
    const shown = this.#reasoning.take(part, { chars: this.#text.length, calls: this.#calls.count() });
    this.#isApart = true;
    if (shown !== "") this.#watch.onReasoning?.(shown);
  }

  #takeError(error: unknown): void {
    if (isUnknownEvent(this.#rules.dialect, error, this.#event)) return;
    // One package reports a stream that just stopped as an answer with wrong data.
    const isCut = !this.#hasEnd && /ended without a finish reason/.test(String((error as Error | undefined)?.message));
    this.#failure = isCut ? CUT : failureOf(error, this.#rules.nowMs());
  }

  #addText(delta: string): void {
    if (delta === "") return;
    // Blocks that were apart stay apart. The chat wire has one text, whatever came between its pieces.
    const isNewBlock = this.#isApart && this.#text !== "" && !this.#readsCalls;
    const shown = isNewBlock ? `\n\n${delta}` : delta;
    this.#isApart = false;
    this.#text += shown;
    this.#watch.onText?.(shown);
  }

  #count(chars: number): void {
    this.#chars += chars;
    if (this.#chars > ANSWER_CHARS_MAX) this.#failure ??= malformed(`longer than ${ANSWER_CHARS_MAX} characters`);
  }

  /** Why this is not a whole step; undefined when it is one. */
  #verdict({ calls, hasNameless }: FinishedCalls): ModelFailure | undefined {
    if (!this.#hasEnd || this.#finish === undefined || this.#reason === undefined) return CUT;
    if (meaningOf(this.#reason) === "error") return malformed(`the provider ended with "${this.#reason}"`);
    if (hasNameless) return malformed("a tool call without a name");
    if (calls.length > CALLS_MAX) return malformed(`${calls.length} tool calls at once, at most ${CALLS_MAX}`);
    const isSilent = calls.length === 0 && this.#text.trim() === "";
    return isSilent && this.#ending() === "stop" ? EMPTY : undefined;
  }

  #complete(finished: FinishedCalls): CompleteStep {
    const ending = this.#ending();
    // After a refusal the calls may be halves of calls: none is meant.
    const { calls, opaque } = ending === "refused" ? { calls: [], opaque: [] } : finished;
    const own: readonly OpaquePart[] =
      this.#textMetadata === undefined || this.#text === ""
        ? []
        : [{ kind: "text", text: "", metadata: this.#textMetadata }];
    return {
      kind: "complete",
      text: this.#text,
      reasoning: this.#reasoning.text(),
      opaque: [...this.#reasoning.parts(this.#finish?.providerMetadata), ...own, ...opaque],
      calls,
      finish: calls.length > 0 ? "calls" : ending,
      usage: this.#usage(),
    };
  }

  #usage(): ModelUsage {
    const told = this.#readsCalls ? this.#bill : undefined;
    return withCost(usageOf(this.#finish, told), this.#finish, this.#rules.price);
  }

  #ending(): "stop" | "length" | "refused" {
    const meaning = meaningOf(this.#reason ?? "");
    // A refusal in words ends like any other answer on the wire; the package has seen the words.
    if (meaning === "refused" || this.#finish?.finishReason.unified === "content-filter") return "refused";
    return meaning === "length" ? "length" : "stop";
  }
}

const CUT: ModelFailure = { cause: "cut", message: "the answer ended before its end" };
const EMPTY: ModelFailure = { cause: "empty", message: "the answer has no text and no tool call" };

function malformed(message: string): ModelFailure {
  return { cause: "malformed", message };
}

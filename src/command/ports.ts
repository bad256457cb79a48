/**
 * What commands need beyond the store, each narrow enough for any surface to hand over. All are optional: a command that
 * needs an absent one does not exist there. The makers below fit them to a live host and to the tools' processes.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId, NewId } from "#base/ids.js";
import type { CompactionReport } from "#runtime/compact.js";
import type { Live } from "#runtime/live/port.js";
import type { Address } from "#session/address.js";
import type { Admission, InputMode } from "#session/input.js";
import type { Inbound, SessionStart } from "#session/verbs/intake.js";
import type { BackgroundProcess, Processes } from "#tool/terminal/processes.js";
import type { SlashCommand } from "./command.js";

export interface SlashPorts {
  /** The conversations at work in this host. */
  readonly live?: LivePort;
  readonly compact?: CompactPort;
  readonly processes?: ProcessPort;
  readonly models?: ModelPort;
  /** The tools a turn here would have. */
  readonly tools?: () => Promise<readonly Listed[]>;
  /** What describing them takes of every request, as an estimate. */
  readonly toolTokens?: () => Promise<number>;
  readonly plugins?: () => Promise<readonly Listed[]>;
  /** Writes a conversation as JSON and answers the file's path. */
  readonly save?: (conversation: ConversationId) => Promise<string>;
  /** Commands of plugins. A name of ours stays ours. */
  readonly commands?: () => readonly SlashCommand[];
  /** Ends this host and starts another, once what it says here is stored; where the person is told of it afterwards. */
  /** Answers why there can be none; undefined when it begins. */
  readonly restart?: () => Promise<string | undefined>;
  /** A chat of the owner that a conversation can go on in; without words the only home chat there is. */
  readonly handoff?: (words: string) => Promise<HandoffFound>;
  /** Where this home is. */
  readonly home?: { readonly root: string; readonly config: string };
}

export interface HandoffChat {
  readonly platform: string;
  /** The session key of that chat. */
  readonly routeKey: string;
  readonly address: Address;
  /** As a person would say it. */
  readonly label: string;
}

export type HandoffFound =
  | ({ readonly kind: "found" } & HandoffChat)
  | { readonly kind: "refused"; readonly why: string };

export interface Listed {
  readonly name: string;
  /** One line. */
  readonly about: string;
}

type LiveVerbs = "state" | "interrupt" | "answer" | "tell" | "rest" | "active" | "watch" | "unwatch";

export interface LivePort extends Pick<Live, LiveVerbs> {
  /** [CT-1] Stored when it resolves, then worked on. */
  say(words: SlashWords): Promise<Admission>;
}

export interface SlashWords {
  readonly text: string;
  readonly mode: InputMode;
  /** An existing conversation, or a new one that works on behalf of another. */
  readonly to:
    | { readonly kind: "conversation"; readonly id: ConversationId }
    | { readonly kind: "new"; readonly delegatedBy?: ConversationId };
}

export type CompactPort = (
  conversation: ConversationId,
  options: { readonly focus?: string },
) => Promise<CompactionReport>;

export interface ProcessPort {
  /** Background processes of a conversation, ended ones too while they are remembered. */
  list(conversation: ConversationId): readonly ListedProcess[];
  /** Ends those that run and answers how many there were. */
  endAll(conversation: ConversationId): Promise<number>;
  /** Ends one; false when it does not run, undefined when there is none of that id. */
  end(conversation: ConversationId, id: string): Promise<boolean | undefined>;
}

export interface ListedProcess {
  readonly id: string;
  readonly command: string;
  readonly startedMs: number;
  readonly isRunning: boolean;
  /** What it printed, as far as it is shown. */
  shown(): string;
}

export interface ModelPort {
  /** Labels that could be taken, without asking any network; bounded. */
  names(): Promise<readonly string[]>;
  /** What a person's words name, and whether it could be asked; `why` says what is missing. */
  check(
    words: string,
  ): Promise<
    | { readonly kind: "usable"; readonly label: string; readonly note?: string }
    | { readonly kind: "unusable"; readonly why: string; readonly hint?: string }
  >;
  /** Makes it the model of every new conversation; absent where the configuration cannot be changed. */
  setGlobal?(label: string): Promise<void>;
}

/** Who says what a command says, and where the answers go. */
export interface LiveOrigin {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly platform: string;
  readonly account: string;
  /** The platform's name of the event that held the command; without one, every command is an event of its own. */
  readonly eventId?: string;
  readonly author?: Inbound["author"];
  readonly address?: Address;
  readonly start: SessionStart;
}

export function livePort(live: Live, origin: LiveOrigin): LivePort {
  const { clock, newId, platform, account, author, address, start } = origin;
  return {
    state: (conversation) => live.state(conversation),
    interrupt: (conversation) => live.interrupt(conversation),
    answer: (conversation, answer) => live.answer(conversation, answer),
    tell: (conversation, event) => live.tell(conversation, event),
    rest: (conversation) => live.rest(conversation),
    active: () => live.active(),
    watch: (conversation, watcher) => live.watch(conversation, watcher),
    unwatch: (conversation, watcher) => live.unwatch(conversation, watcher),
    say: ({ text, mode, to }) =>
      live.say({
        platform,
        account,
        eventId: origin.eventId ?? `command:${newId<string>()}`,
        to,
        text,
        mode,
        ...(author === undefined ? {} : { author }),
        ...(address === undefined ? {} : { address }),
        start,
        nowMs: clock.nowMs(),
      }),
  };
}

export function processPort(processes: Pick<Processes, "list" | "find" | "kill">): ProcessPort {
  const running = (conversation: ConversationId): readonly BackgroundProcess[] =>
    processes.list(conversation).filter((one) => one.state().phase === "running");
  return {
    list: (conversation) =>
      processes.list(conversation).map((one) => ({
        id: one.id,
        command: one.command,
        startedMs: one.startedAtMs,
        isRunning: one.state().phase === "running",
        shown: () => one.output.shown(),
      })),
    async endAll(conversation) {
      const ending = running(conversation);
      await Promise.all(ending.map((one) => processes.kill(one)));
      return ending.length;
    },
    async end(conversation, id) {
      const found = processes.find(conversation, id);
      if (found === undefined) return undefined;
      const wasRunning = found.state().phase === "running";
      if (wasRunning) await processes.kill(found);
      return wasRunning;
    },
  };
}

/**
 * One Slack app in one workspace, at work: who we are, the line on which we hear, the past that is read back, and what
 * we say. The only file that puts the parts of this folder together.
 */
import { withDeadline } from "#base/deadline.js";
import { type Limits, type Platform, type PlatformParts, PlatformRefusal } from "../platform.js";
import { Deliver } from "./deliver.js";
import { Directory } from "./directory.js";
import { SlackFault } from "./fault.js";
import { answerSlack } from "./http-door.js";
import { type Afterwards, Intake, type Self } from "./intake.js";
import type { SlackSettings } from "./kind.js";
import { refusalOf } from "./outcome.js";
import { readBack } from "./read-back.js";
import { type LineEnd, openSocket, type SocketLine } from "./socket.js";
import { type SlackWeb, slackWeb } from "./web.js";

const START_LIMIT_MS = 20_000;
/** For a word to whoever pressed a button. */
const AFTERWARDS_LIMIT_MS = 10_000;
/** What is under way at the end of a run may be kept and acknowledged within this. */
const END_GRACE_MS = 1_000;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** A connection that lived this long was a good one: the next attempt comes at once. */
const STEADY_MS = 10_000;

export async function openSlack(settings: SlackSettings, parts: PlatformParts, limits: Limits): Promise<Platform> {
  const account = new SlackAccount(settings, parts, limits);
  const { deliver } = account;
  return {
    run: (signal) => account.run(signal),
    send: (outgoing, signal) => deliver.send(outgoing, signal),
    edit: (place, receipt, outgoing, signal) => deliver.edit(place, receipt, outgoing, signal),
    findSent: (outgoing, sinceMs, signal) => deliver.findSent(outgoing, sinceMs, signal),
    react: (place, messageId, emoji, signal) => deliver.react(place, messageId, emoji, signal),
    ...(settings.signing_secret === undefined
      ? {}
      : { http: (request) => account.answer(request, settings.signing_secret ?? "") }),
  };
}

class SlackAccount {
  readonly deliver: Deliver;
  readonly #settings: SlackSettings;
  readonly #parts: PlatformParts;
  readonly #web: SlackWeb;
  readonly #intake: Intake;
  #self: Self | undefined;
  /** Of the run that is under way; aborted when there is none. */
  #running = AbortSignal.abort();

  constructor(settings: SlackSettings, parts: PlatformParts, limits: Limits) {
    this.#settings = settings;
    this.#parts = parts;
    this.#web = slackWeb({ token: settings.bot_token, apiRoot: settings.api_root, log: parts.log });
    const directory = new Directory(this.#web, parts.clock);
    this.deliver = new Deliver(this.#web, directory, { clock: parts.clock, fileBytesMax: limits.mediaOut });
    this.#intake = new Intake({
      parts,
      web: this.#web,
      directory,
      replyInThread: settings.reply_in_thread,
      fileBytesMax: limits.mediaIn,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#running = signal;
    try {
      this.#self = await this.#whoAmI(signal);
      if (this.#settings.app_token === undefined) await this.#serve(signal);
      else await this.#keepLine(this.#settings.app_token, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  answer(request: Parameters<typeof answerSlack>[0], signingSecret: string) {
    return answerSlack(request, {
      signingSecret,
      clock: this.#parts.clock,
      log: this.#parts.log,
      take: (body) => this.#take(body),
      later: (afterwards) => void this.#finish(afterwards),
    });
  }

  async #whoAmI(signal: AbortSignal): Promise<Self> {
    const { clock } = this.#parts;
    try {
      const answer = await withDeadline({ clock, timeMs: START_LIMIT_MS, signal }, (limit) =>
        this.#web.call("auth.test", {}, limit),
      );
      const { user_id: userId, team_id: teamId } = answer;
      if (typeof userId !== "string" || typeof teamId !== "string")
        throw new Error("auth.test does not say who we are");
      this.#checkScopes(answer["response_metadata"]);
      return { userId, teamId };
    } catch (error) {
      throw (error instanceof SlackFault ? refusalOf(error.fault, "bot_token") : undefined) ?? error;
    }
  }

  /** Slack names the token's scopes with every answer. Without the first nothing works, without the others something. */
  #checkScopes(metadata: unknown): void {
    const { scopes } = (metadata ?? {}) as { scopes?: unknown };
    if (!Array.isArray(scopes)) return;
    if (!scopes.includes("chat:write"))
      throw new PlatformRefusal(
        "the bot_token may not write",
        "add the bot scope chat:write under OAuth & Permissions, and reinstall the app",
      );
    const missing = USEFUL_SCOPES.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) this.#parts.log.warn("slack: the app lacks scopes", { missing });
  }

  async #take(body: unknown): Promise<Afterwards | undefined> {
    if (this.#self === undefined || this.#running.aborted) throw new Error("not at work");
    return this.#intake.take(body, this.#self, this.#running);
  }

  async #finish(afterwards: Afterwards): Promise<void> {
    const { clock, log } = this.#parts;
    const limit = { clock, timeMs: AFTERWARDS_LIMIT_MS, signal: this.#running };
    await withDeadline(limit, afterwards).catch((error: unknown) => {
      log.warn("slack: what follows an acknowledgement failed", { why: String(error) });
    });
  }

  /** HTTP mode: the door is open while this lasts. */
  async #serve(signal: AbortSignal): Promise<void> {
    this.#parts.receiver.up();
    const reading = this.#readBack(signal);
    await aborted(signal);
    await reading;
    await this.#settle();
  }

  async #keepLine(appToken: string, signal: AbortSignal): Promise<void> {
    const { clock, receiver } = this.#parts;
    let backoffMs = BACKOFF_FIRST_MS;
    while (!signal.aborted) {
      const startMs = clock.monotonicMs();
      const end = await this.#oneLine(appToken, signal);
      if (signal.aborted) return;
      const isSteady = clock.monotonicMs() - startMs >= STEADY_MS;
      if (isSteady) backoffMs = BACKOFF_FIRST_MS;
      // Being moved to another server is no outage: the next connection comes at once, and nobody needs to know.
      if (end.kind === "refresh" && isSteady) continue;
      if (end.kind === "lost") receiver.down(end.why);
      await clock.sleep(Math.max(backoffMs, end.afterMs ?? 0), signal);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
    }
  }

  async #oneLine(appToken: string, signal: AbortSignal): Promise<LineEnd & { readonly afterMs?: number }> {
    let line: SocketLine;
    try {
      line = await this.#connect(appToken, signal);
    } catch (error) {
      if (!(error instanceof SlackFault)) throw error;
      const { fault } = error;
      return { kind: "lost", why: error.message, ...(fault.kind === "limited" ? { afterMs: fault.afterMs } : {}) };
    }
    this.#parts.receiver.up();
    const over = new AbortController();
    const reading = this.#readBack(AbortSignal.any([signal, over.signal]));
    const end = await Promise.race([line.gone, aborted(signal)]);
    over.abort();
    if (end === undefined) await this.#settle();
    await line.close();
    await reading;
    return end ?? { kind: "lost", why: "it ends" };
  }

  #connect(appToken: string, signal: AbortSignal): Promise<SocketLine> {
    const { clock, log } = this.#parts;
    const take = async (body: unknown) => {
      const afterwards = await this.#take(body);
      return afterwards === undefined ? undefined : () => this.#finish(afterwards);
    };
    return openSocket({ appToken, root: this.#web.root, clock, log, take }, signal);
  }

  async #readBack(signal: AbortSignal): Promise<void> {
    if (this.#self === undefined) return;
    await readBack({ web: this.#web, parts: this.#parts, intake: this.#intake, self: this.#self, signal });
  }

  /** What is being kept may be kept, and acknowledged, before the line goes. */
  async #settle(): Promise<void> {
    const limit = new AbortController();
    const late = this.#parts.clock.sleep(END_GRACE_MS, limit.signal).catch(() => undefined);
    await Promise.race([this.#intake.idle(), late]);
    limit.abort();
  }
}

/** Each is for something that people would miss; the guide's manifest has them all. */
export const USEFUL_SCOPES = [
  "app_mentions:read",
  "channels:history",
  "groups:history",
  "im:history",
  "mpim:history",
  "users:read",
  "files:read",
  "files:write",
  "reactions:write",
];

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/**
 * Slack's Web API through Bolt's client, one attempt a call: its retries and its sleeping on rate limits are off, so
 * that what became of a call is known here. Each call has a client of its own (a tenth of a millisecond), because the
 * library takes no signal for a call, and a queue inside it would wait where nobody sees it.
 */
import { webApi } from "@slack/bolt";
import { untilAborted } from "#base/deadline.js";
import type { Logger } from "#base/log.js";
import { quietLogger } from "./bolt-log.js";
import { faultOf, SlackFault, type Trace } from "./fault.js";

export type Answer = Readonly<Record<string, unknown>>;

export interface SlackWeb {
  /** The Web API's root, with a slash at its end. */
  readonly root: string;
  /** Rejects with a SlackFault, and with nothing else. */
  call(method: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answer>;
  /** Whether our token may be shown there: Slack's own hosts, and the root we were given. */
  isTrusted(url: string): boolean;
  /** Reads a file of Slack's, with our token. */
  download(url: string, signal: AbortSignal): Promise<Response>;
  /** Writes to an address Slack gave us for it, without our token. */
  post(url: string, body: string | Uint8Array<ArrayBuffer>, signal: AbortSignal, contentType?: string): Promise<void>;
}

const SLACK_ROOT = "https://slack.com/api/";

export function slackWeb(given: { token: string; apiRoot?: string | undefined; log: Logger }): SlackWeb {
  const root = (given.apiRoot ?? SLACK_ROOT).replace(/\/*$/, "/");
  const logger = quietLogger(given.log);
  const isTrusted = (url: string): boolean => isSlackUrl(url, root);
  return {
    root,
    isTrusted,
    async call(method, args, signal) {
      const trace: Trace = { isStarted: false };
      const options = oneAttempt(root, tracedFetch(signal, trace));
      try {
        signal.throwIfAborted();
        const client = new webApi.WebClient(given.token, { ...options, logger });
        // An answer that comes in byte by byte was seen to be read on after its signal was aborted, on a busy machine.
        return { ...(await untilAborted(client.apiCall(method, args), signal)) };
      } catch (error) {
        throw new SlackFault(method, faultOf(error, trace));
      }
    },
    async download(url, signal) {
      if (!isTrusted(url)) throw new SlackFault("file", { kind: "unreached", why: "its address is not Slack's" });
      // A redirect would carry the token on to wherever it leads.
      const headers = { authorization: `Bearer ${given.token}` };
      return await fetch(url, { headers, redirect: "error", signal });
    },
    async post(url, body, signal, contentType) {
      if (!isTrusted(url)) throw new SlackFault("post", { kind: "unreached", why: "the address is not Slack's" });
      const trace: Trace = { isStarted: false };
      const headers = contentType === undefined ? {} : { "content-type": contentType };
      try {
        const answer = await tracedFetch(signal, trace)(url, { method: "POST", headers, body, redirect: "error" });
        await untilAborted(answer.text(), signal);
        if (!answer.ok) throw new SlackFault("post", { kind: "status", status: answer.status });
      } catch (error) {
        throw new SlackFault("post", faultOf(error, trace));
      }
    },
  };
}

/** What every client of the library gets: one attempt, no waiting. */
export function oneAttempt(root: string, fetchOnce: typeof fetch): webApi.WebClientOptions {
  return { slackApiUrl: root, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, fetch: fetchOnce };
}

export function tracedFetch(signal: AbortSignal, trace: Trace): typeof fetch {
  return async (url, init) => {
    signal.throwIfAborted();
    trace.isStarted = true;
    const answer = await fetch(url, { ...init, signal });
    trace.status = answer.status;
    return answer;
  };
}

function isSlackUrl(url: string, root: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, protocol, hostname } = new URL(url);
  if (origin === new URL(root).origin) return true;
  return protocol === "https:" && /(^|\.)slack\.com$/.test(hostname);
}

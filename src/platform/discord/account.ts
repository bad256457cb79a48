/** One bot account at work: what was built around it, and the port it is reached by. */
import type { Platform, PlatformParts } from "../platform.js";
import { Backlog } from "./backlog.js";
import { Channels } from "./channels.js";
import { Echoes, findSent } from "./find-sent.js";
import { Hearing } from "./hearing.js";
import { IdentifyBudget } from "./identify-budget.js";
import { runLine } from "./line.js";
import { commandsOf, ownApplication } from "./menu.js";
import { openRest } from "./rest.js";
import { edit, send } from "./sending.js";
import type { DiscordSettings } from "./settings.js";
import { within } from "./within.js";

/** What the receiver has in its hands when a run ends gets this long; kept or not, it is found again. */
const LAST_WORDS_MAX_MS = 1_000;

export async function openAccount(settings: DiscordSettings, parts: PlatformParts): Promise<Platform> {
  const { clock, log, receiver } = parts;
  const restLine = await openRest({ ...settings, clock });
  const { call } = restLine;
  const echoes = new Echoes();
  const channels = new Channels(call, log);
  const backlog = new Backlog({ call, clock, log });
  const budget = new IdentifyBudget(clock);
  const openedMs = clock.nowMs();
  let self: { readonly userId: string; readonly applicationId: string } | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    backlog.load(await parts.cursors());
    // Ends with the run, however that ends: what waits in a lane must not outlive the line it came by.
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const hearing = new Hearing(
      {
        ...{ settings, call, channels, backlog, clock, log, receiver },
        echo: (nonce, messageId) => echoes.note(nonce, messageId),
        known: (who) => {
          self = who;
        },
      },
      stop,
    );
    const dispatch = (event: string, data: unknown): void => hearing.dispatch(event, data);
    try {
      await runLine({ token: settings.token, restLine, budget, clock, log, receiver, dispatch }, signal);
    } finally {
      over.abort(new Error("the run is over"));
      await within(clock, LAST_WORDS_MAX_MS, hearing.ended());
    }
  }

  return {
    run,
    send: (outgoing, signal) => send(outgoing, { call, echoes }, signal),
    edit: (place, receipt, outgoing, signal) => edit({ place, receipt, outgoing }, call, signal),
    findSent: (outgoing, sinceMs, signal) =>
      findSent(outgoing, sinceMs, { call, clock, echoes, selfId: self?.userId, openedMs }, signal),
    async typing({ chat }, signal) {
      await call({ method: "POST", route: `/channels/${chat.id}/typing` }, signal);
    },
    async react({ chat }, messageId, emoji, signal) {
      const route = `/channels/${chat.id}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}/@me`;
      await call({ method: "PUT", route }, signal);
    },
    async setMenu(entries, signal) {
      // Commands of the same application may be another program's: without the setting they are not touched.
      if (!settings.slash_commands) return;
      const id = self?.applicationId ?? (await ownApplication(call, signal));
      await call({ method: "PUT", route: `/applications/${id}/commands`, body: commandsOf(entries) }, signal);
    },
  };
}

/** The pure tables: which fault of a send is which outcome, and which fault at the start is a refusal. */
import { PlatformRefusal, type SendOutcome } from "../platform.js";
import { describeFault, type Fault } from "./fault.js";

/** Between two attempts at a Slack that cannot be reached. */
export const UNREACHED_RETRY_MS = 5_000;
/** For answers that mean "not now" and do not say until when. */
const BUSY_RETRY_MS = 30_000;
const TURNED_AWAY_RETRY_MS = 60_000;

/** Slack says of these that some of the work may have been done before the error was raised. */
const UNCERTAIN = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout"]);
const BUSY = new Set(["ratelimited", "rate_limited", "message_limit_exceeded", "team_added_to_org", "update_failed"]);

/** Not the message is turned away but we are: it waits until a person has mended that. */
const TURNED_AWAY = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "team_disabled",
]);

const IN_WORDS: Readonly<Record<string, string>> = {
  channel_not_found: "the channel does not exist, or the app is not in it",
  is_archived: "the channel is archived",
  not_in_channel: "the app is not in the channel: /invite it",
  restricted_action: "the workspace does not let the app write there",
  restricted_action_read_only_channel: "the channel is read-only",
  restricted_action_thread_only_channel: "the channel takes answers in threads only",
  restricted_action_thread_locked: "the thread is locked",
  msg_too_long: "the message is too long",
  no_text: "the message is empty",
  message_not_found: "the message is gone",
  cant_update_message: "the message is not ours",
  edit_window_closed: "the message is too old to be changed",
  account_inactive: "the app was removed from the workspace",
  user_not_found: "there is no such person",
  cannot_dm_bot: "a bot cannot be written to",
};

export function outcomeOf(fault: Fault): SendOutcome {
  const why = describeFault(fault);
  switch (fault.kind) {
    case "limited":
      return { kind: "retry", afterMs: fault.afterMs, why, scope: "chat" };
    case "unreached":
      return { kind: "retry", afterMs: UNREACHED_RETRY_MS, why, scope: "platform" };
    case "lost":
      return { kind: "unknown", why };
    case "status":
      return fault.status >= 500 || fault.status === 408 ? { kind: "unknown", why } : { kind: "refused", why };
    case "answered":
      if (UNCERTAIN.has(fault.code)) return { kind: "unknown", why };
      if (BUSY.has(fault.code)) return { kind: "retry", afterMs: BUSY_RETRY_MS, why, scope: "chat" };
      if (TURNED_AWAY.has(fault.code)) {
        return { kind: "retry", afterMs: TURNED_AWAY_RETRY_MS, why: explain(fault.code, why), scope: "platform" };
      }
      return { kind: "refused", why: explain(fault.code, why) };
  }
}

/** At the start: undefined when trying again may help. */
export function refusalOf(fault: Fault, whose: "bot_token" | "app_token"): PlatformRefusal | undefined {
  if (fault.kind !== "answered") return undefined;
  const hint = Object.hasOwn(HINTS, fault.code) ? HINTS[fault.code] : undefined;
  if (hint === undefined) return undefined;
  return new PlatformRefusal(`Slack turns the ${whose} away: ${describeFault(fault)}`, hint(whose, fault.needed));
}

type Hint = (whose: "bot_token" | "app_token", needed: string | undefined) => string;

const renew: Hint = (whose) =>
  whose === "bot_token"
    ? "copy the Bot User OAuth Token (xoxb-…) again from OAuth & Permissions; reinstall the app if it was removed"
    : "make an app-level token (xapp-…) with the scope connections:write under Basic Information";
const addScope: Hint = (whose, needed) =>
  whose === "app_token"
    ? `the app-level token needs the scope ${needed ?? "connections:write"}`
    : `add the bot scope ${needed ?? "that the guide names"} under OAuth & Permissions, and reinstall the app`;
const askOwner: Hint = () => "the workspace does not let the app in: ask whoever administers it";

const HINTS: Readonly<Record<string, Hint>> = {
  invalid_auth: renew,
  not_authed: renew,
  account_inactive: renew,
  token_revoked: renew,
  token_expired: renew,
  user_removed_from_team: renew,
  not_allowed_token_type: renew,
  missing_scope: addScope,
  no_permission: addScope,
  org_login_required: askOwner,
  ekm_access_denied: askOwner,
  team_disabled: askOwner,
  team_access_not_granted: askOwner,
  access_denied: askOwner,
  forbidden_team: askOwner,
};

function explain(code: string, why: string): string {
  const words = Object.hasOwn(IN_WORDS, code) ? IN_WORDS[code] : undefined;
  return words === undefined ? why : `${words} (${code})`;
}

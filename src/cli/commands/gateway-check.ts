/** `talaria gateway check`: every mistake in `platforms`, without connecting anywhere. */
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { formatPlural } from "../format.js";
import { NO_PLATFORMS } from "./gateway-run.js";
import { accountLabel } from "./gateway-words.js";

export async function check(context: CliContext): Promise<void> {
  const { out, home, env } = context;
  const config = await context.config();
  const { accountsOf, writtenPlatforms } = await import("#app/gateway/accounts.js");
  const { accounts, problems } = await accountsOf({ home, config, env });
  const refused = problems.filter(({ isRefusal }) => isRefusal);
  if (out.json) {
    out.document({
      ok: refused.length === 0,
      accounts: accounts.map((account) => ({
        platform: account.kind.name,
        account: account.name,
        allowed: account.allow.length,
        owners: account.owners.length,
        pairing: account.pairing,
        home: account.homeChat ?? null,
      })),
      problems: problems.map(({ platform, account, key, text, isRefusal }) => ({
        platform,
        account,
        key,
        text,
        refused: isRefusal,
      })),
    });
  } else {
    for (const { text, isRefusal } of problems) out.prose(`${isRefusal ? "error" : "warning"}: ${visible(text)}`, "  ");
    for (const account of accounts) out.prose(accountText(account), "  ");
    if (Object.keys(writtenPlatforms(config)).length === 0) for (const line of NO_PLATFORMS) out.line(line);
  }
  if (refused.length === 0) return;
  throw new UserError(
    `${formatPlural(refused.length, "mistake")} in the settings of platforms; those without one start all the same`,
    "to correct it: talaria config edit",
  );
}

type CheckedAccount = Awaited<ReturnType<typeof import("#app/gateway/accounts.js")["accountsOf"]>>["accounts"][number];

function accountText({ kind, name, allow, owners, pairing, homeChat }: CheckedAccount): string {
  const who = allow.includes("*")
    ? "everybody may write"
    : allow.length > 0
      ? `${formatPlural(allow.length, "person", "people")} may write`
      : pairing
        ? "whoever is paired may write"
        : "nobody may write: allow is empty and pairing is off";
  const owned = owners.length === 0 ? "no owner is named" : formatPlural(owners.length, "owner");
  const home = homeChat === undefined ? "no home chat" : `home chat ${visible(homeChat)}`;
  return `${accountLabel({ platform: kind.name, account: name })}: fine; ${who}, ${owned}, ${home}`;
}

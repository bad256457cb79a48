/**
 * From `platforms` in the settings to accounts that the gateway can open. Every platform is judged for itself: one with a
 * mistake is left out and told about, the others start. Secrets are known to redaction before anything can fail on them.
 */
import { nearest } from "#config/nearest.js";
import type { Config } from "#config/schema.js";
import type { Account } from "#gateway/gateway.js";
import type { PlatformKind } from "#platform/platform.js";
import { isGroup, type Json, ownSettings } from "./own-settings.js";
import { type Problem, problem } from "./problem.js";
import { readCommon, withoutCommon } from "./read-common.js";

export interface AccountsWish {
  /** `platforms` as written: references to variables are not resolved. */
  readonly platforms: Json;
  /** What a platform has unless its group says otherwise, by its name. */
  readonly initial?: Readonly<Record<string, Json>>;
  readonly gateway: Pick<Config["gateway"], "busy" | "reset">;
  /** Where platforms that call us reach us; 0: nowhere. */
  readonly port: number;
  lookup(variable: string): string | undefined;
  /** The kinds there are, by name. */
  readonly names: readonly string[];
  kind(name: string): Promise<PlatformKind | undefined>;
}

export interface ReadAccounts {
  readonly accounts: readonly Account[];
  readonly problems: readonly Problem[];
}

const ACCOUNTS_MAX = 64;

export async function readAccounts(wish: AccountsWish): Promise<ReadAccounts> {
  const accounts: Account[] = [];
  const problems: Problem[] = [];
  for (const [name, group] of Object.entries(wish.platforms)) {
    const kind = await wish.kind(name);
    if (kind === undefined) {
      problems.push(unknownPlatform(name, wish.names));
      continue;
    }
    for (const written of accountsIn(name, group, problems)) {
      const account = readAccount(wish, kind, written, problems);
      if (account !== undefined) accounts.push(account);
    }
  }
  return { accounts, problems };
}

interface Written {
  readonly account: string;
  readonly place: string;
  readonly settings: Json;
}

/** One account, or those under `accounts`; these have what stands beside them unless they say otherwise. */
function accountsIn(platform: string, group: unknown, problems: Problem[]): readonly Written[] {
  const place = `platforms.${platform}`;
  if (group === null) return [{ account: "main", place, settings: {} }];
  if (!isGroup(group)) {
    problems.push(problem({ platform }, place, "expected a group of settings, such as { token: … }"));
    return [];
  }
  const { accounts, enabled, ...shared } = group;
  if (enabled === false) return [];
  if (enabled !== undefined && enabled !== true) {
    problems.push(problem({ platform }, `${place}.enabled`, "expected true or false"));
    return [];
  }
  if (accounts === undefined || accounts === null) return [{ account: "main", place, settings: shared }];
  if (!isGroup(accounts) || Object.keys(accounts).length > ACCOUNTS_MAX) {
    problems.push(problem({ platform }, `${place}.accounts`, "expected a map of names and settings"));
    return [];
  }
  return Object.entries(accounts).flatMap(([account, own]) => {
    const inner = `${place}.accounts.${account}`;
    if (!/^[a-z][\w-]{0,31}$/.test(account)) {
      problems.push(problem({ platform, account }, inner, "expected a name of small letters, digits, _ and -"));
      return [];
    }
    if (isGroup(own) && own["enabled"] === false) return [];
    if (isGroup(own)) return [{ account, place: inner, settings: { ...shared, ...own } }];
    problems.push(problem({ platform, account }, inner, "expected a group of settings"));
    return [];
  });
}

function readAccount(
  wish: AccountsWish,
  kind: PlatformKind,
  { account, place, settings }: Written,
  problems: Problem[],
): Account | undefined {
  const about = { platform: kind.name, account };
  const written = { ...wish.initial?.[kind.name], ...settings };
  const own = ownSettings({ about, place, kind, lookup: wish.lookup }, written, withoutCommon);
  const common = readCommon({ about, place, gateway: wish.gateway }, own.resolved);
  problems.push(...own.problems, ...common.problems);
  if (own.kind === "refused" || common.kind === "refused") return undefined;
  if (wish.port === 0 && kind.callsUs?.(own.settings) === true) {
    problems.push(problem(about, place, doorText(kind)));
    return undefined;
  }
  return { kind, name: account, settings: own.settings, ...common.settings };
}

function doorText({ title }: PlatformKind): string {
  return (
    `${title} calls us by HTTP, and no port is open for it; choose one with: talaria config set host.port 8642, ` +
    "then lead your reverse proxy there"
  );
}

function unknownPlatform(name: string, names: readonly string[]): Problem {
  const meant = nearest(name, names);
  const advice = meant === undefined ? `there are: ${names.join(", ")}` : `did you mean ${meant}?`;
  return problem({ platform: name }, `platforms.${name}`, `there is no such platform; ${advice}`);
}

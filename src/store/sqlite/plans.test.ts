/**
 * What must not grow with history asks an index. Every statement that these verbs run is explained by SQLite
 * itself; a walk over a whole table that holds history fails here before it is slow anywhere.
 */
import { describe, expect, it } from "vitest";
import { type HostId, seededIds } from "#base/ids.js";
import type { VerbArgs, VerbName } from "#session/store.js";
import { Connection, type SqlValue } from "./connection.js";
import { migrate } from "./migrate.js";
import { VERBS } from "./verbs.js";

class Recording extends Connection {
  readonly statements = new Set<string>();

  override get<T>(sql: string, ...params: readonly SqlValue[]): T | undefined {
    this.statements.add(sql);
    return super.get<T>(sql, ...params);
  }
  override all<T>(sql: string, ...params: readonly SqlValue[]): T[] {
    this.statements.add(sql);
    return super.all<T>(sql, ...params);
  }
  override run(sql: string, ...params: readonly SqlValue[]): number {
    this.statements.add(sql);
    return super.run(sql, ...params);
  }
}

const host = "host" as HostId;
const nowMs = 1_000_000;
const conversation = "chatchatchat" as never;
const inbound = { platform: "telegram", account: "bot", text: "hi", start: { source: "telegram" }, nowMs };
const route = { kind: "route", key: "agent:main:telegram:dm:1", chatType: "dm" } as const;

const chat = { platform: "telegram", account: "bot", address: { platform: "telegram", chatType: "dm", chatId: "1" } };

type Call = { [V in VerbName]: readonly [verb: V, args: VerbArgs<V>] }[VerbName];

/** A small life that visits each verb with something to find. */
const CALLS: readonly Call[] = [
  ["beginHost", { id: host, pid: 1, version: "1", nowMs }],
  ["subscribeHooks", { subscriber: "audit", kinds: ["on_session_start", "on_session_finalize"] }],
  ["admit", { ...inbound, eventId: "1", to: { kind: "new", id: conversation }, title: "plans" }],
  ["admit", { ...inbound, eventId: "2", to: route }],
  ["admit", { ...inbound, eventId: "2", to: route }],
  ["claim", { conversation, host, nowMs }],
  ["queue", { conversation, limit: 5 }],
  ["unclaimed", { limit: 5 }],
  ["standing", { conversation, limit: 5 }],
  ["openTurns", { limit: 5 }],
  ["openTurns", { limit: 5, conversation }],
  ["grants", { limit: 5 }],
  ["grants", { limit: 5, conversation }],
  ["revokeGrant", { name: "terminal:rm", nowMs }],
  ["revokeGrant", { name: "terminal:rm", conversation, nowMs }],
  ["spentToday", { conversation, nowMs }],
  ["setSettings", { conversation, changes: { yolo: true } }],
  ["recoverOutbox", { host, limit: 5, nowMs }],
  ["claimDeliveries", { host, limit: 5, nowMs }],
  ["claimDeliveries", { host, limit: 5, platforms: ["telegram"], account: "x", nowMs }],
  ["deliveryDue", { platforms: ["telegram"] }],
  ["deliveryDue", { platforms: ["telegram"], account: "x" }],
  ["unknownDeliveries", { limit: 5, platforms: ["telegram"] }],
  ["cursors", { platform: "telegram", account: "bot", limit: 5 }],
  ["claimHooks", { host, limit: 5, nowMs }],
  ["claimHooks", { host, limit: 5, lanes: [{ subscriber: "audit", limit: 5 }], nowMs }],
  ["hookStanding", { limit: 5 }],
  ["keepHooks", { subscribers: [{ name: "audit", kinds: ["agent:end"] }], reason: "gone", limit: 5, nowMs }],
  ["claimJobs", { host, kinds: ["title"], limit: 5, nowMs }],
  ["list", { limit: 20 }],
  ["list", { limit: 20, source: "telegram", after: { activeMs: nowMs, id: conversation } }],
  ["list", { limit: 20, owner: "owner" as never }],
  ["list", { limit: 20, withArchived: true }],
  ["list", { limit: 20, withArchived: true, withDelegated: true }],
  ["list", { limit: 20, withDelegated: true }],
  ["resolve", { text: "chatchatchat" }],
  ["resolve", { text: "plans" }],
  ["resolve", { text: "chat" }],
  ["show", { conversation }],
  ["inCompany", { conversation }],
  ["history", { conversation, afterSeq: 0, limit: 20 }],
  ["recent", { conversation, limit: 20 }],
  ["tipHistory", { conversation }],
  ["route", { key: route.key }],
  ["routes", { limit: 20 }],
  ["routeVersion", {}],
  ["stats", {}],
  ["idleSince", { beforeMs: nowMs, limit: 20 }],
  ["sweepExpired", { nowMs, limit: 20 }],
  ["pruneRoutes", { maxAgeDays: 90, liveKeys: [], limit: 20, nowMs: nowMs + 1e12 }],
  ["access", { platform: "telegram", account: "bot", sender: "1", nowMs }],
  ["offerPairing", { ...chat, sender: "1", code: "ABCD2345", nowMs }],
  ["approvePairing", { code: "ABCD2345", role: "member", by: "terminal", nowMs }],
  ["approvePairing", { code: "WRONG", role: "member", by: "terminal", nowMs }],
  ["revokeAccess", { platform: "telegram", account: "bot", sender: "1", by: "terminal", nowMs }],
  ["pairings", { limit: 5, nowMs }],
  ["keepOwnerChat", { address: chat.address, nowMs }],
  ["ownerChat", { platform: "telegram", account: "bot" }],
  ["admitCommand", { ...chat, eventId: "9", routeKey: route.key, author: "owner" as never, line: "/status", nowMs }],
  ["openCommands", { limit: 5 }],
  ["openCommands", { limit: 5, routeKey: route.key }],
  ["openQuestion", { platform: "telegram", account: "bot", eventId: "9", routeKey: route.key }],
  ["question", { approval: "nosuchone" as never }],
  ["questionStanding", { approval: "nosuchone" as never }],
  ["beginCommand", { command: "nosuchone" as never, nowMs }],
  ["tellJob", { job: "nosuchone" as never, address: chat.address, text: "back", nowMs }],
  ["end", { conversation, actor: { platform: "cli" }, reason: "cli_close", nowMs }],
  ["remove", { conversation, by: "owner", nowMs }],
  ["eraseChunk", { limit: 50, nowMs }],
  ["closeOpenings", { reason: "shutdown", limit: 20, nowMs }],
  ["finishOrphans", { nowMs, limit: 20 }],
];

/** Small by nature, or not tables at all; as many grants as a person ever gave, as many people as were let in. */
const SMALL =
  /^SCAN (tally|spend|grant|json_each|pragma_\w+|hook_subscriber|hook_failure|pairing|access_grant|CONSTANT ROW|s|value|\(subquery)\b/;
/** A walk along a partial index of open work is as long as the open work. */
const OPEN_WORK =
  /USING (COVERING )?INDEX (turn_live|input_queue|chat_command_(open|line)|opening_live|opening_imported|delivery_(open|due|line|head)|hook_(due|running|line|head|order)|job_(open|due|running)|conversation_(recent|source|owner|archived|delegated)|route_(due|used))\b/;

describe("[ST-20] what is asked at every start, list, look-up and sweep", () => {
  const db = new Recording({ path: ":memory:" });
  migrate(db);
  const tx = { db, newId: seededIds(1) };
  const walks = CALLS.flatMap(([verb, args]) => {
    db.statements.clear();
    VERBS[verb](tx, args as never);
    return [...db.statements].flatMap((sql) => fullWalks(db, sql).map((line) => `${verb}: ${line} in ${sql}`));
  });

  it("walks over no table that holds history", () => {
    expect(walks).toEqual([]);
  });

  it("is noticed when it does", () => {
    expect(fullWalks(db, "SELECT count(*) FROM message WHERE role = 'user'")).toEqual(["SCAN message"]);
    expect(fullWalks(db, "SELECT id FROM conversation ORDER BY created_ms LIMIT 1")).not.toEqual([]);
  });
});

/**
 * Inserts are left out: their plans list walks over child tables that SQLite only takes while a deferred key is
 * broken, and no key here is deferred.
 */
function fullWalks(db: Connection, sql: string): string[] {
  if (!/^\s*(SELECT|UPDATE|DELETE)/i.test(sql)) return [];
  return db.explain(sql).filter((line) => /^SCAN /.test(line) && !SMALL.test(line) && !OPEN_WORK.test(line));
}

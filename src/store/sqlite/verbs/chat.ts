/**
 * Chats [GW]: who may speak, pairing, and commands said there. What is told (a code, a welcome, a command's answer) is
 * owed in the commit of the act it tells of. A code is compared by its hash and never stored in clear.
 */
import { createHash } from "node:crypto";
import { invariant } from "#base/errors.js";
import type { PersonId } from "#base/ids.js";
import { type Address, destinationOf, MAIN_ACCOUNT, type PlatformAccount, spellAccount } from "#session/address.js";
import {
  cleanCode,
  PAIRING_FAILURES_MAX,
  PAIRING_VALID_MS,
  PAIRINGS_PENDING_MAX,
  pairingText,
  welcomeText,
} from "#session/pairing.js";
import type { AccessGrant, AccessRole, ChatVerbs, PendingPairing } from "#session/verbs/chat.js";
import { personNo } from "../acts.js";
import { owe } from "../line.js";
import type { Tx, VerbTable } from "../tx.js";
import { chatCommandVerbs } from "./chat-commands.js";

export const chatVerbs: VerbTable<ChatVerbs> = {
  ...chatCommandVerbs,

  access(tx, { platform, account, sender, altId, nowMs }) {
    const ids = [sender, altId ?? sender] as const;
    const granted = tx.db.get<{ role: AccessRole }>(
      "SELECT role FROM access_grant WHERE platform = ? AND account = ? AND sender IN (?, ?) ORDER BY role DESC LIMIT 1",
      platform,
      account,
      ...ids,
    );
    const person = tx.db.get<{ id: PersonId; name: string | null }>(
      `SELECT p.id, p.name FROM person_account a JOIN person p ON p.no = a.person
       WHERE a.platform = ? AND a.account = ? AND a.sender = ?`,
      platform,
      account,
      sender,
    );
    const out = pendingOf(tx, { platform, account, nowMs });
    const mayPair = out.length < PAIRINGS_PENDING_MAX && !out.some((one) => one.sender === (altId ?? sender));
    return { granted: granted?.role ?? null, person: person ?? null, mayPair };
  },

  offerPairing(tx, { platform, account, sender, name, address, code, nowMs }) {
    if (isGranted(tx, { platform, account }, sender)) return { kind: "granted" };
    tx.db.run("DELETE FROM pairing WHERE platform = ? AND account = ? AND expires_ms <= ?", platform, account, nowMs);
    const out = pendingOf(tx, { platform, account, nowMs });
    if (out.some((one) => one.sender === sender)) return { kind: "pending" };
    const slot = SLOTS.find((free) => !out.some((one) => one.slot === free));
    if (slot === undefined) return { kind: "full" };
    tx.db.run(
      `INSERT INTO pairing(platform, account, slot, sender, name, address, code_hash, offered_ms, expires_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      platform,
      account,
      slot,
      sender,
      name?.slice(0, NAME_CHARS_MAX).toWellFormed() ?? null,
      JSON.stringify(address),
      hashOf(code),
      nowMs,
      nowMs + PAIRING_VALID_MS,
    );
    oweText(tx, address, { text: pairingText(code), nowMs });
    return { kind: "offered" };
  },

  approvePairing(tx, { code, role: wanted, by, nowMs }) {
    // A command of another program may ask: whatever is not a word of ours opens the smaller door.
    const role = wanted === "owner" ? "owner" : "member";
    const lockedUntilMs = lockOf(tx, nowMs);
    if (lockedUntilMs !== null) return { kind: "locked", untilMs: lockedUntilMs };
    const row = tx.db.get<PairingRow>(
      "SELECT platform, account, sender, name, address, expires_ms FROM pairing WHERE code_hash = ?",
      hashOf(code),
    );
    if (row === undefined) return { kind: "unknown", triesLeft: countFailure(tx, nowMs) };
    if (row.expires_ms <= nowMs) return { kind: "expired" };
    const { platform, account, sender, name } = row;
    const address = JSON.parse(row.address) as Address;
    grant(tx, row, { role, by, nowMs });
    personNo(tx, row, { account: address.userId ?? sender, name: name ?? undefined }, nowMs);
    if (role === "owner") keepOwnerChat(tx, address, nowMs);
    audit(tx, "approve-pairing", { subject: `${spellAccount(row)}:${sender}`, detail: { role, by }, nowMs });
    oweText(tx, address, { text: welcomeText(role), nowMs });
    return { kind: "approved", platform, account, sender, name, role };
  },

  revokeAccess(tx, { platform, account, sender, by, nowMs }) {
    const revoked = tx.db.run(
      "DELETE FROM access_grant WHERE platform = ? AND account = ? AND sender = ?",
      platform,
      account,
      sender,
    );
    if (revoked === 0) return { kind: "unknown" };
    audit(tx, "revoke-access", { subject: `${spellAccount({ platform, account })}:${sender}`, detail: { by }, nowMs });
    return { kind: "revoked" };
  },

  pairings(tx, { limit, nowMs }) {
    const pending = tx.db.all<PendingPairing>(
      `SELECT platform, account, sender, name, offered_ms AS offeredMs, expires_ms AS expiresMs FROM pairing
       WHERE expires_ms > ? ORDER BY offered_ms, platform, account, slot LIMIT ?`,
      nowMs,
      limit,
    );
    const granted = tx.db.all<AccessGrant>(
      `SELECT platform, account, sender, name, role, granted_by AS "by", granted_ms AS sinceMs FROM access_grant
       ORDER BY platform, account, sender LIMIT ?`,
      limit,
    );
    const full = tx.db.all<{ platform: string; account: string }>(
      "SELECT platform, account FROM pairing WHERE expires_ms > ? GROUP BY platform, account HAVING count(*) >= ? LIMIT ?",
      nowMs,
      PAIRINGS_PENDING_MAX,
      limit,
    );
    return { pending, granted, full, lockedUntilMs: lockOf(tx, nowMs) };
  },

  keepOwnerChat(tx, { address, nowMs }) {
    return { kind: keepOwnerChat(tx, address, nowMs) ? "kept" : "known" };
  },

  ownerChat(tx, { platform, account }) {
    const row = tx.db.get<{ address: string }>(
      "SELECT address FROM owner_chat WHERE platform = ? AND account = ?",
      platform,
      account,
    );
    return row === undefined ? null : (JSON.parse(row.address) as Address);
  },
};

const SLOTS = Array.from({ length: PAIRINGS_PENDING_MAX }, (_, at) => at + 1);
/** A stranger chooses it. */
const NAME_CHARS_MAX = 200;

interface PairingRow extends PlatformAccount {
  readonly sender: string;
  readonly name: string | null;
  readonly address: string;
  readonly expires_ms: number;
}

function hashOf(code: string): string {
  return createHash("sha256").update(cleanCode(code)).digest("hex");
}

function isGranted(tx: Tx, { platform, account }: PlatformAccount, sender: string): boolean {
  const sql = "SELECT 1 FROM access_grant WHERE platform = ? AND account = ? AND sender = ?";
  return tx.db.get(sql, platform, account, sender) !== undefined;
}

function pendingOf(
  tx: Tx,
  { platform, account, nowMs }: { platform: string; account: string; nowMs: number },
): readonly { readonly slot: number; readonly sender: string }[] {
  return tx.db.all<{ slot: number; sender: string }>(
    "SELECT slot, sender FROM pairing WHERE platform = ? AND account = ? AND expires_ms > ?",
    platform,
    account,
    nowMs,
  );
}

/** [GW-23] For the account that showed the code: what another one shows to the same id is shown to somebody else. */
function grant(tx: Tx, row: PairingRow, as: { role: AccessRole; by: string; nowMs: number }): void {
  const { platform, account, sender, name } = row;
  tx.db.run(
    "INSERT INTO access_grant(platform, account, sender, role, name, granted_by, granted_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    platform,
    account,
    sender,
    as.role,
    name,
    as.by,
    as.nowMs,
  );
  tx.db.run("DELETE FROM pairing WHERE platform = ? AND account = ? AND sender = ?", platform, account, sender);
}

/** False: it was the newest before. */
function keepOwnerChat(tx: Tx, address: Address, nowMs: number): boolean {
  const kept = tx.db.run(
    `INSERT INTO owner_chat(platform, account, address, since_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET address = excluded.address, since_ms = excluded.since_ms WHERE address <> excluded.address`,
    address.platform,
    address.account ?? MAIN_ACCOUNT,
    JSON.stringify(address),
    nowMs,
  );
  return kept > 0;
}

interface GuardRow {
  readonly failures: number;
  readonly since_ms: number;
  readonly locked_ms: number | null;
}

function guardOf(tx: Tx): GuardRow {
  const row = tx.db.get<GuardRow>("SELECT failures, since_ms, locked_ms FROM pairing_guard WHERE one = 1");
  invariant(row, "the guard has its row from the first day");
  return row;
}

function lockOf(tx: Tx, nowMs: number): number | null {
  const { locked_ms: untilMs } = guardOf(tx);
  return untilMs !== null && untilMs > nowMs ? untilMs : null;
}

/** How many more wrong ones are taken. */
function countFailure(tx: Tx, nowMs: number): number {
  const guard = guardOf(tx);
  const isFresh = guard.locked_ms !== null || guard.since_ms + PAIRING_VALID_MS <= nowMs;
  const failures = isFresh ? 1 : guard.failures + 1;
  tx.db.run(
    "UPDATE pairing_guard SET failures = ?, since_ms = ?, locked_ms = ? WHERE one = 1",
    failures,
    isFresh ? nowMs : guard.since_ms,
    failures >= PAIRING_FAILURES_MAX ? nowMs + PAIRING_VALID_MS : null,
  );
  return PAIRING_FAILURES_MAX - failures;
}

function audit(tx: Tx, act: string, row: { subject: string; detail: Record<string, unknown>; nowMs: number }): void {
  tx.db.run(
    "INSERT INTO audit(at_ms, act, subject, detail) VALUES (?, ?, ?, ?)",
    row.nowMs,
    act,
    row.subject,
    JSON.stringify(row.detail),
  );
}

function oweText(tx: Tx, address: Address, { text, nowMs }: { text: string; nowMs: number }): void {
  owe(tx, {
    platform: address.platform,
    destination: destinationOf(address),
    address: JSON.stringify(address),
    parts: [text],
    nowMs,
  });
}

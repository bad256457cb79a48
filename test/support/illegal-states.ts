/**
 * Runs a table of forbidden states against a legal store. Each attack goes at the tables directly; SQLite itself
 * has to refuse it with the expected words and leave every row of every table as it was. `accepts` is the counter
 * check: the neighbouring legal step goes through, so that a refusal is not a mistyped attack.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { sqliteFault } from "#store/sqlite/connection.js";
import { type LegalStore, legalStore } from "./legal-store.js";

/** What is forbidden, the SQL that tries it, words of SQLite's refusal, and legal steps that lead up to it. */
export type Attack = readonly [name: string, sql: string, expected: string, prelude?: string];
export type LegalStep = readonly [name: string, sql: string];

export function describeRefusals(noun: string, attacks: readonly Attack[]): void {
  describe(`${noun}: SQLite itself refuses`, () => {
    const legal = sharedStore();
    for (const [name, sql, expected, prelude] of attacks) {
      it(name, () => refused(legal(), { sql, expected, prelude }));
    }
  });
}

function refused(legal: LegalStore, attempt: { sql: string; expected: string; prelude: string | undefined }): void {
  const { attack, digest, db } = legal;
  db.exec("BEGIN");
  try {
    if (attempt.prelude !== undefined) attack(attempt.prelude);
    const before = digest();
    const error = thrownBy(() => attack(attempt.sql));
    expect(error, "SQLite accepted it").toBeDefined();
    expect(error?.message).toContain(attempt.expected);
    expect(sqliteFault(error)).toBe("constraint");
    expect(digest()).toBe(before);
  } finally {
    db.exec("ROLLBACK");
  }
}

export function describeLegalSteps(noun: string, steps: readonly LegalStep[]): void {
  describe(`${noun}: SQLite accepts`, () => {
    const legal = sharedStore();
    it.each(steps)("%s", (_, sql) => {
      const { attack, digest, db } = legal();
      const before = digest();
      db.exec("BEGIN");
      try {
        attack(sql);
        expect(digest()).not.toBe(before);
      } finally {
        db.exec("ROLLBACK");
      }
      expect(digest()).toBe(before);
    });
  });
}

/** Values are SQL, so that a row may be named or computed. */
export function insert(table: string, row: Readonly<Record<string, string | number>>): string {
  return `INSERT INTO ${table}(${Object.keys(row).join(", ")}) VALUES (${Object.values(row).join(", ")})`;
}

function sharedStore(): () => LegalStore {
  let legal: LegalStore | undefined;
  beforeAll(async () => {
    legal = await legalStore();
  });
  return () => {
    if (legal === undefined) throw new Error("the store is made before the tests");
    return legal;
  };
}

function thrownBy(act: () => void): Error | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

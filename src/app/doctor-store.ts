/**
 * Looks into a store without being able to change it: does it open, is it ours, is it sound, what is open in it,
 * is the mirror up to date. Works on a damaged, foreign or newer file: that is then the finding.
 */
import { existsSync, statSync } from "node:fs";
import { integrityProblems } from "#store/sqlite/backup.js";
import { Connection } from "#store/sqlite/connection.js";
import { latestVersion, storeVersion } from "#store/sqlite/migrate.js";
import { told } from "#store/sqlite/open.js";
import { type Examination, type ExamineRequest, fail, failure, ok, warn } from "./doctor-finding.js";
import { freshText, mirrorState } from "./mirror.js";

/** A larger store is read in full only when somebody asks: it takes a second for each half gigabyte. */
export const QUICK_CHECK_BYTES_MAX = 500_000_000;
const PROBLEMS_SHOWN = 3;

export function* examineStore(request: ExamineRequest): Generator<Examination> {
  const { home } = request;
  if (!existsSync(home.stateDb)) {
    yield ok("store", "there is none yet; it is made with the first conversation");
    return;
  }
  let db: Connection;
  try {
    db = told(home.stateDb, () => new Connection({ path: home.stateDb, isReadOnly: true }));
  } catch (error) {
    yield failure("store", home.stateDb, error, ADVICE_RESTORE);
    return;
  }
  try {
    yield* look(request, db);
  } catch (error) {
    yield failure("store", home.stateDb, error, ADVICE_RESTORE);
  } finally {
    db.release();
  }
}

const ADVICE_RESTORE = "talaria restore --list shows the backups; talaria restore goes back to one";

function* look(request: ExamineRequest, db: Connection): Generator<Examination> {
  const version = storeVersion(db);
  const sqlite = `SQLite ${db.scalar("SELECT sqlite_version()")}`;
  if (version === 0) {
    yield warn("store", `${request.home.stateDb} is empty`, "it is filled by the first command that writes");
    return;
  }
  if (version < latestVersion()) {
    yield warn(
      "store",
      `schema ${version}, and this program writes ${latestVersion()}`,
      "the next command that writes upgrades it, after a backup",
    );
    return;
  }
  const count = (sql: string): number => Number(db.scalar(sql) ?? 0);
  const conversations = count("SELECT value FROM tally WHERE name = 'conversations'");
  yield ok("store", `opens; schema ${version}, ${sqlite}, ${conversations} conversations`);
  yield soundness(request, db);
  yield openWork(count);
}

function soundness({ home, isDeep }: ExamineRequest, db: Connection): Examination {
  const { size } = statSync(home.stateDb);
  if (!isDeep && size > QUICK_CHECK_BYTES_MAX) {
    return ok("integrity", `not read: ${Math.round(size / 1e6)} MB; talaria doctor --deep reads every page`);
  }
  const problems = isDeep ? integrityProblems(home.stateDb) : quickProblems(db);
  if (problems.length === 0) return ok("integrity", isDeep ? "every page and every reference is sound" : "sound");
  return fail("integrity", problems.slice(0, PROBLEMS_SHOWN).join("; "), ADVICE_RESTORE);
}

function quickProblems(db: Connection): string[] {
  return db.list("PRAGMA quick_check(10)").filter((text) => text !== "ok");
}

function openWork(count: (sql: string) => number): Examination {
  const said = OPEN_WORK.flatMap(({ sql, one, many, isLoss }) => {
    const n = count(sql);
    return n === 0 ? [] : [{ text: `${n} ${n === 1 ? one : many}`, isLoss }];
  });
  if (said.length === 0) return ok("open work", "none");
  const text = said.map((item) => item.text).join(", ");
  const hasLoss = said.some(({ isLoss }) => isLoss);
  return hasLoss ? warn("open work", text, "talaria logs --level warn tells why") : ok("open work", text);
}

/** `isLoss`: something that a person may have to see to. */
const OPEN_WORK: readonly {
  readonly sql: string;
  readonly one: string;
  readonly many: string;
  readonly isLoss: boolean;
}[] = [
  {
    sql: "SELECT count(*) FROM turn WHERE state <> 'settled'",
    one: "turn under way or waiting",
    many: "turns under way or waiting",
    isLoss: false,
  },
  {
    sql: "SELECT count(*) FROM route WHERE suspended_reason IS NOT NULL",
    one: "chat set aside",
    many: "chats set aside",
    isLoss: false,
  },
  {
    sql: "SELECT count(*) FROM delivery WHERE ended_ms IS NULL",
    one: "reply to send",
    many: "replies to send",
    isLoss: false,
  },
  {
    sql: "SELECT count(*) FROM delivery WHERE state = 'unknown'",
    one: "reply that may or may not have arrived",
    many: "replies that may or may not have arrived",
    isLoss: true,
  },
  {
    sql: "SELECT count(*) FROM delivery WHERE state = 'dead'",
    one: "reply given up",
    many: "replies given up",
    isLoss: true,
  },
  { sql: "SELECT count(*) FROM job WHERE state = 'dead'", one: "job given up", many: "jobs given up", isLoss: true },
];

/** Beside a running program: says how the mirror stands and leaves it. */
export function examineMirror({ home }: ExamineRequest): Examination {
  try {
    return told(home.stateDb, () => {
      const db = new Connection({ path: home.stateDb, isReadOnly: true });
      try {
        return mirrorFinding(home.mirror, Number(db.scalar("SELECT value FROM tally WHERE name = 'route_version'")));
      } finally {
        db.release();
      }
    });
  } catch (error) {
    return failure("mirror", home.stateDb, error);
  }
}

function mirrorFinding(path: string, version: number): Examination {
  const state = mirrorState(path, version);
  if (state === "fresh") return ok("mirror", freshText(path));
  return warn(
    "mirror",
    `sessions.json is ${state} (nothing is lost: it is a copy)`,
    "the program that has the home writes it; otherwise the next doctor does",
  );
}

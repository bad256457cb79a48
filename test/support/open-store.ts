/**
 * Opens a store for writing in a process of its own and says what came of it, as one line of JSON.
 *
 *   open-store.ts <path> [migration ending in which version]
 */
import { OperationalError } from "#base/errors.js";
import { openForWriting } from "#store/sqlite/open.js";
import { withMigrationsTo } from "./migrations.js";

const [path = "", version = "1"] = process.argv.slice(2);
try {
  const db = openForWriting({ path, migrations: withMigrationsTo(Number(version)) });
  say({ opened: Number(db.scalar("PRAGMA user_version")), synchronous: db.scalar("PRAGMA synchronous") });
} catch (error) {
  if (!(error instanceof OperationalError)) throw error;
  say({ code: error.code, retry: error.retry, message: error.message });
}

function say(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

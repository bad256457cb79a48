/** Makes the backup before a migration in a process of its own: `backup-store.ts <store> <folder>`. */
import { backupBeforeMigration } from "#store/sqlite/backup.js";

const [path = "", folder = ""] = process.argv.slice(2);
backupBeforeMigration(path, folder, 1);

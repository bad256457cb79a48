/**
 * A host of commands that a test can kill: starts what it is told in a folder, says so, and waits for its death.
 *
 *   node scripts/run-ts.mjs test/tool/host.ts FOLDER COMMAND…
 */
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.js";
import { type ConversationId, randomIds, type TurnId } from "../../src/base/ids.js";
import { createOutput } from "../../src/tool/terminal/output.js";
import { createProcesses } from "../../src/tool/terminal/processes.js";

const [folder = ".", ...commands] = process.argv.slice(2);
const processes = createProcesses({ clock: systemClock, newId: randomIds });

for (const [index, command] of commands.entries()) {
  const request = {
    command,
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    input: "open" as const,
    output: createOutput({ keepChars: 1000, spoolFile: join(folder, `${index}.spool`) }),
    conversation: "conversation" as ConversationId,
    turn: "turn" as TurnId,
  };
  if (index % 2 === 0) processes.foreground(request);
  else processes.background(request);
}
process.stdout.write("started\n");
if (process.env["LEAVE"] !== undefined) process.exit(0);
await systemClock.sleep(60_000);

/**
 * The process that checks: it keeps its own ledger of what one home's writers told, and looks at copies of the store.
 * The harness never opens a database itself, and the checker is never killed.
 */
import { rmSync } from "node:fs";
import { Journal, type Line, type Violation } from "../journal.js";
import { type CheckOptions, checkStore, copyStore } from "./check.js";
import { type CutsReport, type CutsRequest, checkCuts, emptyLog } from "./cuts.js";

export type Request =
  | { readonly kind: "lines"; readonly generation: number; readonly lines: readonly Line[] }
  | { readonly kind: "check"; readonly home: string; readonly copy: string; readonly options: CheckOptions }
  /** Moves the log into the database, so that the next writer's log begins at its first byte. */
  | { readonly kind: "empty-log"; readonly home: string }
  | ({ readonly kind: "cuts" } & CutsRequest);

export type Answer =
  | { readonly kind: "checked"; readonly violations: readonly Violation[] }
  | { readonly kind: "emptied" }
  | ({ readonly kind: "cut" } & CutsReport)
  | { readonly kind: "failed"; readonly message: string };

const journal = new Journal();
let work = Promise.resolve();

process.on("message", (request: Request) => {
  work = work
    .then(() => serve(request))
    .catch((error: Error) => answer({ kind: "failed", message: error.stack ?? error.message }));
});
// The harness went away: so do we.
process.on("disconnect", () => process.exit());

async function serve(request: Request): Promise<void> {
  switch (request.kind) {
    case "lines":
      for (const line of request.lines) journal.absorb(request.generation, line);
      return;
    case "check":
      copyStore(request.home, request.copy);
      answer({ kind: "checked", violations: await checkStore(request.copy, journal, request.options) });
      rmSync(request.copy, { recursive: true, force: true, maxRetries: 20 });
      return;
    case "empty-log":
      emptyLog(request.home);
      return answer({ kind: "emptied" });
    case "cuts":
      answer({ kind: "cut", ...(await checkCuts(request, journal)) });
  }
}

function answer(message: Answer): void {
  process.send?.(message);
}

/**
 * The order in which test files run: the longest first, so that none is begun at the end and leaves a core idle. Vitest
 * knows this from the run before; a fresh checkout has none, so the order of the longest is kept here.
 */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By what they take, the longest first. Where a file is missing, or its place is not quite right, nothing breaks. */
const LONGEST: readonly string[] = [
  "test/cli/chat.test.ts",
  "test/chaos/store.test.ts",
  "test/crash/plants.test.ts",
  "test/plugin/run.test.ts",
  "test/plugin/load.test.ts",
  "test/cli/chat-shared.test.ts",
  "test/crash/signals.test.ts",
  "test/crash/turn.test.ts",
  "test/host/stop.test.ts",
  "test/cli/chat-terminal.test.ts",
  "test/cli/chat-model.test.ts",
  "test/chaos/turn.test.ts",
  "test/plugin/turn.test.ts",
  "test/crash/host.test.ts",
  "test/cli/restore.test.ts",
  "test/host/start.test.ts",
  "test/crash/compaction.test.ts",
  "test/crash/approval.test.ts",
  "test/cli/config.test.ts",
  "test/hook/boundaries.test.ts",
  "test/hook/standing.test.ts",
  "test/host/linger.test.ts",
  "src/store/sqlite/worker-store.test.ts",
  "test/cli/sessions.test.ts",
  "test/app/failures.test.ts",
  "test/wire/rpc-stdio.test.ts",
  "test/host/variables.test.ts",
  "test/cli/plugins.test.ts",
  "src/store/sqlite/store.test.ts",
  "test/host/safe-mode.test.ts",
  "src/tool/terminal/terminal.test.ts",
  "test/soak/driver.test.ts",
  "test/cli/chat-during-turn.test.ts",
  "test/cli/chat-leaving.test.ts",
  "test/hermes/command.test.ts",
  "test/wire/follow-host.test.ts",
  "test/models/oddities.test.ts",
  "test/host/maintenance.test.ts",
  "test/cli/routes.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/**
 * The order in which test files run: the longest first, so that none is begun at the end and leaves a core idle. Vitest
 * knows this from the run before; a fresh checkout has none, so the order of the longest is kept here.
 */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By what they take, the longest first. Where a file is missing, or its place is not quite right, nothing breaks. */
const LONGEST: readonly string[] = [
  "test/cli/chat.test.ts",
  "test/gateway/crash-points.test.ts",
  "test/chaos/store.test.ts",
  "test/crash/plants.test.ts",
  "test/crash/turn.test.ts",
  "test/plugin/run.test.ts",
  "test/chaos/turn.test.ts",
  "test/plugin/load.test.ts",
  "test/crash/signals.test.ts",
  "test/cli/chat-model.test.ts",
  "test/cli/chat-terminal.test.ts",
  "test/crash/compaction.test.ts",
  "test/host/stop.test.ts",
  "test/crash/host.test.ts",
  "test/plugin/turn.test.ts",
  "test/hook/boundaries.test.ts",
  "test/cli/chat-shared.test.ts",
  "test/gateway/exactly-once.test.ts",
  "test/platform/slack/line.test.ts",
  "test/hook/standing.test.ts",
  "src/store/sqlite/worker-store.test.ts",
  "test/crash/approval.test.ts",
  "test/gateway/talking.test.ts",
  "test/gateway/ops.test.ts",
  "test/cli/sessions.test.ts",
  "src/store/sqlite/store.test.ts",
  "test/platform/slack/outcomes.test.ts",
  "test/cli/chat-leaving.test.ts",
  "test/platform/irc/contract.test.ts",
  "test/cli/restore.test.ts",
  "test/hermes/command.test.ts",
  "test/cli/plugins.test.ts",
  "test/host/variables.test.ts",
  "test/wire/rpc-stdio.test.ts",
  "test/gateway/access.test.ts",
  "test/app/failures.test.ts",
  "test/host/start.test.ts",
  "test/cli/chat-during-turn.test.ts",
  "test/models/cuts-blocks.test.ts",
  "test/wire/follow-host.test.ts",
  "test/gateway/ops-acts.test.ts",
  "test/host/failure.test.ts",
  "test/cli/config.test.ts",
  "test/platform/telegram/receive-faults.test.ts",
  "src/store/sqlite/model.test.ts",
  "test/models/oddities.test.ts",
  "test/host/maintenance.test.ts",
  "test/gateway/platforms.test.ts",
  "test/platform/discord/line.test.ts",
  "test/gateway/plants.test.ts",
  "src/tool/terminal/terminal.test.ts",
  "test/gateway/watcher.test.ts",
  "test/rpc/exit.test.ts",
  "test/host/safe-mode.test.ts",
  "test/models/cuts-compatible.test.ts",
  "test/gateway/questions.test.ts",
  "test/host/linger.test.ts",
  "test/soak/driver.test.ts",
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

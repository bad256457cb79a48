/** `talaria approvals`: what waits for a person's answer, what was allowed for good, and taking that back. */
import { addExamples, type Register } from "../command.js";
import type { RevokeOptions } from "./approvals-run.js";

export const register: Register = (command, context) => {
  command
    .description("What waits for your answer, and what you allowed for a conversation or for always.")
    .action(async () => (await import("./approvals-run.js")).listApprovals(context));
  const revoke = command
    .command("revoke")
    .summary("take a permission back")
    .description("Take back what you allowed: the next such call asks again.")
    .argument("<name>", "as the list shows it")
    .option("--conversation <session>", "the permission of this conversation, not the one for always")
    .action(async (name: string, options: RevokeOptions) =>
      (await import("./approvals-run.js")).revokeApproval(context, name, options),
    );
  addExamples(revoke, [
    ["talaria approvals revoke 'run: git push'", "what was allowed for always"],
    ["talaria approvals revoke NAME --conversation 7h3k", "only in that conversation"],
  ]);
  addExamples(command, [
    ["talaria approvals", "what waits, and what is allowed"],
    ["talaria approvals revoke NAME", "be asked again"],
  ]);
};

/** `talaria pairing`: who asked to be let in, who was, and taking that back. */
import { addExamples, type Register } from "../command.js";
import type { ApproveOptions } from "./pairing-run.js";

export const register: Register = (command, context) => {
  command.description(
    "Somebody who writes to Talaria in a direct chat and is not known is shown a code, once. Who tells you theirs can be " +
      "let in; nobody else is answered.",
  );
  const list = command
    .command("list")
    .summary("who asked, and who was let in")
    .description("Who was shown a code and waits, and who was let in by one. Codes themselves are stored nowhere.")
    .action(async () => (await import("./pairing-run.js")).listPairings(context));
  const approve = command
    .command("approve")
    .summary("let somebody in by their code")
    .description(
      "Let in whoever was shown this code. They are told, and are a member: they have their own conversations.",
    )
    .argument("<code>", "eight letters and digits, as they were shown")
    .option("--owner", "as an owner: everything that you may")
    .action(async (code: string, options: ApproveOptions) =>
      (await import("./pairing-run.js")).approvePairing(context, code, options),
    );
  const revoke = command
    .command("revoke")
    .summary("shut somebody out again")
    .description(
      "Take back what a code opened: from their next message on they are a stranger. Nothing they said goes.",
    )
    .argument("<who>", "PLATFORM:ID or PLATFORM@ACCOUNT:ID, as the list shows it")
    .action(async (who: string) => (await import("./pairing-run.js")).revokeAccess(context, who));
  addExamples(list, [["talaria pairing list --json", "for programs"]]);
  addExamples(approve, [
    ["talaria pairing approve K7QM-2XWD", "let them in"],
    ["talaria pairing approve K7QM2XWD --owner", "that was me, on my phone"],
  ]);
  addExamples(revoke, [["talaria pairing revoke telegram:42", "they are a stranger again"]]);
  addExamples(command, [
    ["talaria pairing list", "who waits?"],
    ["talaria pairing approve K7QM2XWD", "let them in"],
    ["talaria pairing revoke telegram:42", "shut them out"],
  ]);
};

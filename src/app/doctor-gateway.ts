/** What is wrong with platforms in the settings. Nobody is connected to; a home without platforms has nothing to say. */
import { inspectConfig } from "#config/load.js";
import { type Examination, type ExamineRequest, ok, warn } from "./doctor-finding.js";
import { accountsOf, writtenPlatforms } from "./gateway/accounts.js";

export async function* examineGateway({ home, env }: ExamineRequest): AsyncGenerator<Examination> {
  const config = inspectConfig(home, env);
  if (Object.keys(writtenPlatforms(config)).length === 0) return;
  const { accounts, problems } = await accountsOf({ home, env, config });
  for (const { text } of problems) yield warn("platforms", text, "talaria config edit; talaria gateway check");
  for (const { kind, allow, pairing } of accounts) {
    if (allow.length > 0 || pairing) continue;
    yield warn(
      "platforms",
      `nobody may write on ${kind.name}: allow is empty and pairing is off`,
      "docs/guide/access.md",
    );
  }
  if (problems.length === 0) {
    const names = [...new Set(accounts.map(({ kind }) => kind.name))];
    yield ok("platforms", `${names.join(", ")}: the settings are fine`);
  }
}

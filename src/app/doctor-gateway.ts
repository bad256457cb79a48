/** What is wrong with platforms in the settings. Nobody is connected to; a home without platforms has nothing to say. */
import { visible } from "#base/text-width.js";
import { inspectConfig } from "#config/load.js";
import { type Examination, type ExamineRequest, ok, warn } from "./doctor-finding.js";
import { accountsOf, writtenPlatforms } from "./gateway/accounts.js";
import { strandedAdvice, strandedIn, strandedText } from "./gateway/stranded.js";
import { openReader } from "./open-store.js";

const STRANDED_NAMED = 3;

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

/** Messages that nobody here will ever send. Needs a store that can be read. */
export async function* examineOutbox({ home, env }: ExamineRequest): AsyncGenerator<Examination> {
  const store = openReader(home);
  const outbox = await store.outboxStanding({ limit: 0 }).finally(() => store.close());
  if (outbox.open.length === 0) return;
  const { accounts } = await accountsOf({ home, env, config: inspectConfig(home, env) });
  const stranded = strandedIn(
    outbox,
    accounts.map(({ kind, name }) => ({ platform: kind.name, account: name })),
  );
  for (const one of stranded.slice(0, STRANDED_NAMED)) {
    yield warn("outbox", visible(strandedText(one)), visible(strandedAdvice(one)));
  }
  const more = stranded.slice(STRANDED_NAMED);
  if (more.length === 0) return;
  const count = more.reduce((sum, one) => sum + one.count, 0);
  yield warn("outbox", `${count} more wait for ${more.length} other accounts`, "talaria gateway status");
}

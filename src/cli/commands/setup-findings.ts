/** What `talaria setup` found, for somebody who cannot be asked: and the line that would go on from there. */
import { UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural } from "../format.js";
import type { SetupRun } from "./setup-run.js";

export async function tellFindings(run: SetupRun): Promise<void> {
  const { context, findings } = run;
  const next = nextSteps(run);
  if (context.out.json) {
    context.out.document({ found: findings, current: await currentOf(run), next });
    return;
  }
  for (const line of findingLines(run)) context.out.line(line);
  context.out.line();
  context.out.line("To go on:");
  for (const command of next) context.out.line(`  ${command}`);
  throw new UserError("nothing was set up: there is no terminal to ask in", `say what to take: ${next[0]}`, EXIT.usage);
}

/** Rows of what was found; a sentence when there is nothing. */
export function findingLines({ context, findings }: SetupRun): string[] {
  const rows = [
    ...findings.keys.map(({ provider, variable, where }) => [provider, `${variable} in ${where}`] as const),
    ...findings.servers.map(
      ({ provider, kind, address, models }) =>
        [
          provider,
          `${kind === provider ? "" : `${kind} `}at ${address}, ${formatPlural(models.length, "model")}`,
        ] as const,
    ),
  ];
  if (rows.length === 0) return ["No key was found in the environment or in .env, and no local server answers."];
  return [
    context.out.paint.bold("Found"),
    ...rows.map(([provider, text]) => `  ${provider.padEnd(PROVIDER_CELLS)}${text}`),
  ];
}

const PROVIDER_CELLS = 20;

function nextSteps({ findings }: SetupRun): string[] {
  const keys = findings.keys.map(({ provider }) => `talaria setup --provider ${provider} --yes`);
  const servers = findings.servers.map(
    ({ provider, address, models }) =>
      `talaria setup --provider ${provider} --base-url ${address} --name ${models[0] ?? "NAME"} --yes`,
  );
  const found = [...keys, ...servers];
  return found.length > 0
    ? found
    : ["OPENAI_API_KEY=… talaria setup --provider openai --yes", "talaria setup   in a terminal"];
}

/** The model as it is now, with what keeps it from being used; null when nothing but the demo model is chosen. */
async function currentOf({ context, config }: { readonly context: CliContext; readonly config: SetupRun["config"] }) {
  const { currentModel } = await import("#app/models.js");
  const { label, isDemo, origin, problem } = currentModel(config, context.env);
  return isDemo ? null : { label, origin, problem: problem?.message ?? null };
}

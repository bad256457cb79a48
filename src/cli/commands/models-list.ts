/** `talaria models --list`: asks the provider itself, so it is what this key may use today. */
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { formatCount, formatPlural } from "../format.js";

export async function listOffers(context: CliContext, provider: string | undefined): Promise<void> {
  const [{ chooseModels, chooseProvider }, { listOffered }] = await Promise.all([
    import("#app/models.js"),
    import("#app/model-trial.js"),
  ]);
  const config = await context.config();
  const spec =
    provider === undefined ? chooseModels(config, context.env).main[0] : chooseProvider(config, context.env, provider);
  if (spec.provider === "demo" && provider === undefined) {
    throw new UserError(
      "no provider is configured, so there is nothing to list",
      "name one: talaria models --list openrouter",
    );
  }
  const offer = await listOffered(spec, { clock: context.clock, signal: context.signal });
  if (offer.kind === "failed") throw new UserError(`${spec.provider}: ${offer.message}`, offer.advice);
  const models = [...offer.models].sort((one, other) => one.name.localeCompare(other.name, "en"));
  if (context.out.json) {
    context.out.document({
      provider: spec.provider,
      models: models.map(({ name, windowTokens }) => ({
        label: `${spec.provider}/${name}`,
        window: windowTokens ?? null,
      })),
    });
    return;
  }
  context.out.table(
    [
      { title: "MODEL", value: ({ name }) => `${spec.provider}/${name}`, flexible: true },
      {
        title: "WINDOW",
        value: ({ windowTokens }) => (windowTokens === undefined ? "" : formatCount(windowTokens)),
        align: "right",
      },
    ],
    models,
    `${visible(spec.provider)} offers no models.`,
  );
  const [first] = models;
  if (first !== undefined) {
    context.out.note(`${formatPlural(models.length, "model")}; choose one: talaria models use ${spec.provider}/NAME`);
  }
}

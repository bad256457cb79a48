/** `talaria gateway run`: this process becomes the host, with the platforms, and says how they are. */
import type { GatewayStanding } from "#app/gateway/host-gateway.js";
import { UserError } from "#base/errors.js";
import { forgetHostVariables } from "#base/host-memory.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural } from "../format.js";
import { accountLabel, stateText } from "./gateway-words.js";
import { noteFailure } from "./host-run.js";

/** For what is told of a start that failed; then the process ends, whatever it has open. */
const LEAVE_AFTER_MS = 500;
const LOOK_EVERY_MS = 200;

export interface RunOptions {
  readonly reset?: boolean;
}

export async function run(context: CliContext, { reset }: RunOptions): Promise<void> {
  try {
    await makeRoom(context);
    if (reset === true) await (await import("#app/host/find-host.js")).forgetCrashes(context.prepareHome());
    await serve(context);
  } catch (error) {
    await noteFailure(context, error);
    context.clock.after(LEAVE_AFTER_MS, () => process.exit(process.exitCode ?? EXIT.failed));
    throw error;
  }
}

/** A host that clients started and that has nothing to do steps aside; they find this one. */
async function makeRoom(context: CliContext): Promise<void> {
  const [{ findHost }, { askAside }] = await Promise.all([
    import("#app/host/find-host.js"),
    import("#app/host/step-aside.js"),
  ]);
  const found = await findHost(context);
  if (found.kind !== "answers") return;
  const { line } = found.greeted;
  const { gateway, pid } = await line.call("host.status", {}).finally(() => line.close());
  if (gateway === true) {
    throw new UserError(
      `the gateway of ${context.home.root} runs already (process ${pid})`,
      "talaria gateway status shows it, talaria gateway restart starts it anew",
      EXIT.locked,
    );
  }
  await askAside(context);
}

async function serve(context: CliContext): Promise<void> {
  const home = context.prepareHome();
  const [{ runHost, HOST_EXIT }, config, log] = await Promise.all([
    import("#app/host/run-host.js"),
    context.config(),
    context.log("host"),
  ]);
  const { clock, version, env, out } = context;
  // Whoever supervises it has set them.
  if (env["TALARIA_SUPERVISED"] === "1") forgetHostVariables(env);
  if (!out.json) out.line(`The gateway of ${home.root} runs here; Ctrl-C stops it.`);
  let forget: () => void = () => undefined;
  const code = await context.withoutInterrupts(() =>
    runHost({
      home,
      clock,
      version,
      env,
      config,
      log,
      stays: true,
      gateway: {
        onOpen(standing) {
          forget = tellChanges(context, standing);
        },
        onPutOff(untilMs) {
          if (out.json) return out.document({ event: "safe-mode", until: new Date(untilMs).toISOString() });
          out.line(
            `It crashed too often: no platform is opened until ${out.time(untilMs)}. talaria logs may tell why;`,
          );
          out.line("stop it and start it with --reset to try again at once.");
        },
      },
      onStop(drainMs) {
        forget();
        tellStop(context, drainMs);
      },
      exit: (early) => process.exit(early),
    }),
  );
  await tellCut(context, home);
  if (code !== HOST_EXIT.restart || env["TALARIA_SUPERVISED"] === "1") process.exit(code);
  if (!out.json) out.line("Starting again …");
  const { runAgain } = await import("./gateway-again.js");
  // Ctrl-C is its successor's to answer, who drains; this one stays for as long.
  process.exit(await context.withoutInterrupts(() => runAgain(context)));
}

function tellStop({ out }: CliContext, drainMs: number): void {
  if (out.json) {
    out.document({ event: "stopping", drainSeconds: drainMs / 1_000 });
    return;
  }
  const time = drainMs === 0 ? "" : `; running turns get ${drainMs / 1_000} s, Ctrl-C again cuts them`;
  out.line(`Stopping${time}.`);
}

/** What a drain did not wait for is not lost, and whoever stopped it should know. */
async function tellCut({ out }: CliContext, home: CliContext["home"]): Promise<void> {
  const [{ readCrashRecord }, { crashRecordPath }] = await Promise.all([
    import("#app/host/crash-record.js"),
    import("#app/host/open-home.js"),
  ]);
  const { cut = 0 } = readCrashRecord(crashRecordPath(home.run)).lastEnd ?? {};
  if (cut === 0 || out.json) return;
  out.line(`${formatPlural(cut, "turn was", "turns were")} cut; the next start goes on where it was.`);
}

/** One line whenever an account has changed, and what is wrong with the settings once. */
function tellChanges(context: CliContext, standing: () => GatewayStanding): () => void {
  const { out, clock } = context;
  const { accounts, problems } = standing();
  for (const { text, isRefusal } of problems) {
    if (out.json) out.document({ event: "problem", text, refused: isRefusal });
    else out.prose(`${isRefusal ? out.paint.red("not started") : out.paint.yellow("ignored")}: ${visible(text)}`, "  ");
  }
  if (accounts.length === 0 && !out.json) for (const line of NO_PLATFORMS) out.line(line);
  const told = new Map<string, string>();
  let forget: () => void = () => undefined;
  const look = (): void => {
    for (const account of standing().accounts) {
      const label = accountLabel(account);
      const { state } = account;
      // When the next try comes changes often, and is no news.
      const news = `${state.kind} ${"why" in state ? state.why : ""}`;
      if (told.get(label) === news) continue;
      told.set(label, news);
      if (out.json) out.document({ event: "platform", ...account });
      else out.prose(`${label}: ${visible(stateText(state))}`, "  ");
    }
    forget = clock.after(LOOK_EVERY_MS, look);
  };
  look();
  return () => forget();
}

/** What somebody who has configured nothing can do. */
export const NO_PLATFORMS: readonly string[] = [
  "No platform is configured, so nobody can write from anywhere yet.",
  "To try it without an account:",
  '  talaria config set platforms \'{"console": {"owners": ["me"]}}\'',
  "  talaria gateway run         and in a second terminal:",
  "  talaria gateway console",
  "docs/guide/gateway.md: how to add Telegram, Discord, Slack, IRC or a webhook.",
];

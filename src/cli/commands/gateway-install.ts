/** `talaria gateway install` and `uninstall`: a unit for the person's own systemd. Nothing is started or stopped here. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { replaceFile } from "#base/atomic-file.js";
import { UserError } from "#base/errors.js";
import { HOST_VARIABLES, LASTING_FLAGS } from "#base/host-memory.js";
import { packageRoot } from "#base/package-root.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";

export interface InstallOptions {
  readonly print?: boolean;
  readonly force?: boolean;
}

const UNIT = "talaria-gateway.service";
/** What stopping takes after the drain, and then some. */
const STOP_SLACK_S = 15;

export async function install(context: CliContext, { print, force }: InstallOptions): Promise<void> {
  const { out } = context;
  const config = await context.config();
  const path = unitPath(context);
  const text = signed(unitText(context, config.values.gateway.drain_seconds));
  if (print === true) {
    if (out.json) return out.document({ path, unit: text });
    return void (await out.write(text));
  }
  const was = standing(path);
  if (was === "foreign" && force !== true) throw changedByHand(path, "written over");
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, text, { mode: 0o644 });
  if (out.json) return out.document({ path, written: true, replaced: was !== "absent", next: NEXT });
  out.line(`Wrote ${path}.`);
  if (process.platform !== "linux") out.note("This machine has no systemd; the unit is for one that has.");
  out.line("Run next:");
  for (const line of NEXT) out.line(`  ${line}`);
  out.line(
    `Secrets that config.yaml takes from variables belong into ${context.home.env}: the unit has none of yours.`,
  );
}

export async function uninstall(context: CliContext, { force }: InstallOptions): Promise<void> {
  const { out } = context;
  const path = unitPath(context);
  const was = standing(path);
  if (was === "foreign" && force !== true) throw changedByHand(path, "removed");
  await rm(path, { force: true });
  if (out.json) return out.document({ path, removed: was !== "absent" });
  if (was === "absent") return out.line(`There is no ${path}.`);
  out.line(`Removed ${path}. A gateway that runs goes on; run next:`);
  out.line(`  systemctl --user disable --now ${UNIT}`);
  out.line("  systemctl --user daemon-reload");
}

const NEXT: readonly string[] = [
  "systemctl --user daemon-reload",
  `systemctl --user enable --now ${UNIT}`,
  'loginctl enable-linger "$USER"    # so that it runs while you are not logged in',
  "talaria gateway status",
];

function unitPath({ env }: CliContext): string {
  const configured = env["XDG_CONFIG_HOME"];
  const personHome = env["HOME"] === undefined || env["HOME"] === "" ? homedir() : env["HOME"];
  const folder = configured === undefined || configured === "" ? join(personHome, ".config") : configured;
  return join(folder, "systemd", "user", UNIT);
}

/** Started again after any failure, for ever; a stop by `talaria gateway stop` is none. */
function unitText({ home, env }: CliContext, drainSeconds: number): string {
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  const command = [process.execPath, ...LASTING_FLAGS, launcher, "--home", home.root, "gateway", "run"];
  const variables = Object.entries(HOST_VARIABLES).map(([name, value]) => `${name}=${value}`);
  return `[Unit]
Description=Talaria gateway (${specifier(home.root)})
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
ExecStart=${command.map(quoted).join(" ")}
WorkingDirectory=${specifier(home.root)}
Environment=TALARIA_SUPERVISED=1
Environment=${variables.join(" ")}
Environment=${quoted(`PATH=${env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"}`)}
Restart=on-failure
RestartSec=5
RestartForceExitStatus=75
SuccessExitStatus=130 143
KillMode=mixed
TimeoutStopSec=${drainSeconds + STOP_SLACK_S}
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** systemd reads backslashes, quotes, dollars and per cent signs its own way. */
function quoted(word: string): string {
  return `"${specifier(word).replace(/[\\"]/g, "\\$&").replaceAll("$", "$$$$")}"`;
}

function specifier(text: string): string {
  return text.replaceAll("%", "%%");
}

const MARK = "# Written by talaria gateway install; without changes: ";

function signed(text: string): string {
  return `${MARK}${markOf(text)}\n${text}`;
}

function markOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** `foreign`: somebody has changed it, or written one of their own. */
function standing(path: string): "absent" | "ours" | "foreign" {
  if (!existsSync(path)) return "absent";
  const text = readFileSync(path, "utf8");
  const end = text.indexOf("\n");
  const isOurs = text.startsWith(MARK) && text.slice(MARK.length, end) === markOf(text.slice(end + 1));
  return isOurs ? "ours" : "foreign";
}

function changedByHand(path: string, act: string): UserError {
  return new UserError(
    `${path} is not as talaria wrote it and was not ${act}`,
    "look at it; --force does it anyway",
    EXIT.failed,
  );
}

/** Starts ngircd as a child on a free port of loopback, with its own configuration, and ends it by its pid. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "#platform/contract/platform.contract.js";
import { freePort } from "../../support/free-port.js";
import { removeFolder } from "../../support/remove-folder.js";
import type { Ngircd } from "./ngircd-binary.js";

export interface Server {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startNgircd(binary: Ngircd, settings: { readonly password?: string } = {}): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "ng-"));
  const port = await freePort();
  const config = join(folder, "ngircd.conf");
  writeFileSync(config, configuration(port, folder, settings.password));
  const child = spawn(binary.command, ["--nodaemon", "--config", config], {
    env: binary.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  try {
    await eventually(`ngircd listens (${said})`, () => hasDied(child, () => said) || accepts(port));
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    port,
    async stop() {
      child.kill("SIGTERM");
      await closed;
      removeFolder(folder);
    },
  };
}

function hasDied(child: ChildProcess, said: () => string): false {
  if (child.exitCode !== null) throw new Error(`ngircd ended with ${child.exitCode}: ${said()}`);
  return false;
}

/** Limits off that are meant for the open Internet; no look-ups, which would wait for a resolver. */
function configuration(port: number, folder: string, password: string | undefined): string {
  return `[Global]
Name = irc.test.example
Info = for tests
Listen = 127.0.0.1
Ports = ${port}
MotdPhrase = hello
AdminEMail = nobody@test.example
${password === undefined ? "" : `Password = ${password}\n`}${process.getuid?.() === 0 ? `ServerUID = nobody\nServerGID = nogroup\n` : ""}
[Limits]
MaxConnectionsIP = 0
MaxNickLength = 30
MaxPenaltyTime = 0
PingTimeout = 120
PongTimeout = 20
[Options]
DNS = no
Ident = no
PAM = no
IncludeDir = ${folder}
`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

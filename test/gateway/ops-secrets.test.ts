/** [GW-42] Secrets of platforms, as canaries, through platforms that fail in every way they can here. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../host/support/host-home.js";
import { type OpsHome, opsHome } from "./support/ops-home.js";

let home: OpsHome;
let server: Server | undefined;
afterEach(async () => {
  await home.remove();
  server?.close();
  server = undefined;
});

const CANARIES = {
  TELEGRAM_TOKEN: "9876543:canaryTelegramTokenAbcdefghij",
  SLACK_BOT: "xoxb-canary-slack-bot",
  SLACK_APP: "xapp-canary-slack-app",
  DISCORD_TOKEN: "canary.discord.token",
  IRC_PASSWORD: "canary irc password",
  HOOK_SECRET: "canary-webhook-secret-0123456789",
} as const;

/** Says everything it was asked back, as a proxy's error page does. */
async function echoingServer(): Promise<string> {
  server = createServer((request, response) => {
    const words = `${request.method} ${request.url} ${JSON.stringify(request.headers)}`;
    response.writeHead(401, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ok: false, error_code: 401, description: words, error: words, message: words }));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function everyByte(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== "config.yaml" && entry.name !== ".env")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe("a gateway whose platforms fail", () => {
  it("[GW-42] tells of no secret in its log, store, words, status, settings or health", async () => {
    const root = await echoingServer();
    home = opsHome(CANARIES);
    home.configure(`
platforms:
  telegram: { token: "\${TELEGRAM_TOKEN}", api_root: "${root}", allow: ["1"], home: "1" }
  slack: { bot_token: "\${SLACK_BOT}", app_token: "\${SLACK_APP}", api_root: "${root}/api/", allow: ["1"] }
  discord: { token: "\${DISCORD_TOKEN}", api_root: "${root}/api", allow: ["1"] }
  irc: { host: 127.0.0.1, port: 1, nick: t, password: "\${IRC_PASSWORD}", channels: ["#x"] }
  webhook: { secret: "\${HOOK_SECRET}", nonsense: "\${HOOK_SECRET}" }
  console: { allow: [me] }
gateway: { drain_seconds: 0 }
`);
    const gateway = await home.gateway();
    const failed = (name: string): boolean =>
      home.entries().some((entry) => entry["platform"] === name && /down|turns us away/.test(String(entry["message"])));
    await until(() => ["telegram", "slack", "discord", "irc"].every(failed), "all of them fail");
    // It has no port to be called at.
    await until(() => /not started: platforms\.webhook/.test(gateway.said()), "one is not even started");
    const me = await home.sit();
    await me.say("what is your token?");
    await me.sees(/demo model/);
    const line = await home.line();
    const config = await line.call("config.get", { key: "full" }).catch((error: Error) => error.message);
    line.close();
    const words = [
      JSON.stringify(config),
      ...(
        await Promise.all(
          [
            ["gateway", "status"],
            ["gateway", "status", "--json"],
            ["gateway", "check"],
            ["host", "status", "--json"],
            ["config", "show"],
            ["config", "show", "--json"],
            ["config", "get", "platforms"],
            ["config", "check"],
            ["doctor"],
            ["logs", "-n", "200"],
            ["sessions", "list", "--json"],
            ["send", "--to", "telegram", "--wait", "1", "hello"],
          ].map((args) => home.cli(args)),
        )
      ).flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ];
    gateway.child.kill("SIGTERM");
    const { stdout, stderr } = await gateway.done;
    const told = [...words, stdout, stderr, everyByte(home.path)].join("\n");
    for (const [name, canary] of Object.entries(CANARIES)) {
      for (const form of new Set([canary, encodeURIComponent(canary)])) {
        expect(told.includes(form), `${name} is told: ${around(told, form)}`).toBe(false);
      }
    }
  });
});

function around(text: string, word: string): string {
  const at = text.indexOf(word);
  return at < 0 ? "" : text.slice(Math.max(0, at - 200), at + 50);
}

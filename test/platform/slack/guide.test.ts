/** The manifest in the guide asks for what the adapter uses, and the settings in it are settings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { packageRoot } from "../../../src/base/package-root.js";
import { USEFUL_SCOPES } from "../../../src/platform/slack/account.js";
import { slack } from "../../../src/platform/slack/kind.js";

const guide = readFileSync(join(packageRoot(), "docs/guide/slack.md"), "utf8");
const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => parse(text));

it("has every scope in its manifest", () => {
  const { oauth_config: oauth, settings } = blocks[0];
  expect(oauth.scopes.bot).toEqual(expect.arrayContaining(["chat:write", "commands", ...USEFUL_SCOPES]));
  expect(settings.event_subscriptions.bot_events).toEqual(
    expect.arrayContaining(["app_mention", "message.im", "message.channels"]),
  );
  expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
});

it("shows settings that are taken", () => {
  const shown = blocks.flatMap((block) => (block.platforms?.slack === undefined ? [] : [block.platforms.slack]));
  expect(shown).toHaveLength(2);
  for (const { allow: _allow, ...own } of shown) {
    const given = Object.fromEntries(
      Object.keys(own).map((name) => [name, { bot_token: "xoxb-1", app_token: "xapp-1" }[name] ?? "x"]),
    );
    expect(slack.settings.safeParse(given).success).toBe(true);
  }
});

it("names every setting", () => {
  for (const name of ["bot_token", "app_token", "signing_secret", "reply_in_thread", "api_root"])
    expect(guide).toContain(`| \`${name}\` |`);
});

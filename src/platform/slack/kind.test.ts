import { describe, expect, it } from "vitest";
import { slack } from "./kind.js";

const parse = (given: object) => slack.settings.safeParse(given);
const words = (given: object): string =>
  parse(given)
    .error?.issues.map(({ path, message }) => `${path}: ${message}`)
    .join("\n") ?? "";

describe("the settings of Slack", () => {
  it("take a socket or a signing secret", () => {
    expect(parse({ bot_token: "xoxb-1", app_token: "xapp-1" }).data).toEqual({
      bot_token: "xoxb-1",
      app_token: "xapp-1",
      reply_in_thread: true,
    });
    expect(
      parse({ bot_token: "xoxb-1", signing_secret: "s", reply_in_thread: false, api_root: "http://127.0.0.1:1/api/" })
        .success,
    ).toBe(true);
  });

  it("say clearly what is wrong", () => {
    expect(words({ bot_token: "xoxb-1" })).toMatch(/app_token: .*socket mode.*signing_secret/);
    expect(words({ bot_token: "xoxb-1", app_token: "xapp-1", signing_secret: "s" })).toMatch(/exclude each other/);
    expect(words({ bot_token: "xoxp-1", app_token: "xapp-1" })).toMatch(/bot_token: .*xoxb-/);
    expect(words({ bot_token: "xoxb-1", app_token: "xoxb-1" })).toMatch(/app_token: .*xapp-/);
    expect(words({ bot_token: "xoxb-1", app_token: "xapp-1", nonsense: 1 })).toMatch(/nonsense/);
    expect(words({ bot_token: "xoxb-1", app_token: "xapp-1", api_root: "ftp://x" })).toMatch(/api_root/);
  });

  it("show no secret", () => {
    expect(slack.secrets).toEqual(["bot_token", "app_token", "signing_secret"]);
  });
});

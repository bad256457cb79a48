import { describe, expect, it } from "vitest";
import { telegram } from "./kind.js";
import { nextOffset } from "./poll.js";

const TOKEN = "123456:ABC-DEF1234ghIkl";
const WEBHOOK = { url: "https://bot.example.org/telegram", secret: "a-secret-of-16-and-more" };

describe("Telegram's settings", () => {
  it("need a token and nothing else", () => {
    expect(telegram.settings.parse({ token: TOKEN })).toEqual({ token: TOKEN, poll_seconds: 25 });
  });

  it("take a server and a webhook of one's own", () => {
    const chosen = telegram.settings.parse({ token: TOKEN, api_root: "http://127.0.0.1:8081/", webhook: WEBHOOK });
    expect(chosen).toMatchObject({ api_root: "http://127.0.0.1:8081", webhook: { ...WEBHOOK, path: "/" } });
  });

  it.each([
    ["no token", {}, /BotFather/],
    ["a token that is none", { token: "abc" }, /BotFather/],
    ["an address that is none", { token: TOKEN, api_root: "localhost:8081" }, /http:\/\//],
    ["a poll that takes too long", { token: TOKEN, poll_seconds: 90 }, /50/],
    ["a short secret", { token: TOKEN, webhook: { ...WEBHOOK, secret: "short" } }, /16 to 256/],
    ["a webhook in the clear", { token: TOKEN, webhook: { ...WEBHOOK, url: "http://a.b/c" } }, /https/],
    ["a key that nobody knows", { token: TOKEN, tokn: 1 }, /tokn/],
  ])("say what is wrong with %s", (_, settings, words) => {
    const found = telegram.settings.safeParse(settings);
    expect(found.error?.issues.map((issue) => issue.message).join("; ")).toMatch(words);
  });

  it("keep the token and the webhook's secret to themselves", () => {
    expect(telegram.secrets).toEqual(["token", "webhook"]);
  });
});

describe("where the next poll begins", () => {
  const updates = (...ids: number[]) => ids.map((update_id) => ({ update_id }) as never);

  it.each([
    ["behind the last one", updates(5, 6, 7), undefined, 8],
    ["behind the highest, in whatever order they came", updates(7, 5, 6), undefined, 8],
    ["at the one that was not kept", updates(5, 6, 7), 1, 6],
    ["at the lowest that was not kept", updates(7, 5, 6), 0, 5],
    ["without a number after silence", updates(), undefined, undefined],
  ])("is %s", (_, batch, refusedAt, offset) => {
    expect(nextOffset(batch, refusedAt)).toBe(offset);
  });
});

import { expect, it } from "vitest";
import { settings } from "./settings.js";

it("needs a token and nothing else", () => {
  expect(settings.parse({ token: " abc " })).toEqual({
    token: "abc",
    api_root: "https://discord.com/api",
    reply_in_thread: false,
    slash_commands: true,
  });
});

it.each([
  [{}, "token"],
  [{ token: "" }, "token"],
  [{ token: "Bot abc" }, "without the word Bot"],
  [{ token: "a", api_root: "ftp://x" }, "http or https"],
  [{ token: "a", guilds: [] }, "leave guilds out"],
  [{ token: "a", guilds: [123456789012345680] }, "guilds"],
  [{ token: "a", guilds: ["my server"] }, "15 to 20 digits"],
  [{ token: "a", gilds: ["1"] }, "gilds"],
])("says what is wrong with %j", (given, words) => {
  const result = settings.safeParse(given);
  expect(JSON.stringify(result.error?.issues)).toContain(words);
});

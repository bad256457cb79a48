import { describe, expect, it } from "vitest";
import { isSecretName, redact } from "#base/redact.js";
import { SECRET_PLATFORM_KEYS } from "#config/platform-secrets.js";
import { builtInPlatform, builtInPlatforms } from "#platform/registry.js";
import { type ReadAccounts, readAccounts } from "./read-accounts.js";

const TOKEN = "1234567:canary-token-of-telegram";
const GATEWAY = {
  busy: "queue",
  reset: { mode: "none", at_hour: 4, idle_minutes: 1440, by_type: {}, by_platform: {} },
} as const;

function read(
  platforms: Record<string, unknown>,
  {
    env = {},
    gateway = {},
    port = 8642,
  }: { env?: Record<string, string>; gateway?: Record<string, unknown>; port?: number } = {},
): Promise<ReadAccounts> {
  return readAccounts({
    platforms,
    gateway: { ...GATEWAY, ...gateway },
    port,
    lookup: (variable) => env[variable],
    names: builtInPlatforms(),
    kind: builtInPlatform,
  });
}

const texts = ({ problems }: ReadAccounts): readonly string[] => problems.map(({ text }) => text);

describe("the settings of platforms", () => {
  it("[GW-41] make an account with what all platforms have, by its defaults", async () => {
    const { accounts, problems } = await read({ telegram: { token: TOKEN, allow: ["42", 7] } });
    expect(problems).toEqual([]);
    expect(accounts).toMatchObject([
      {
        name: "main",
        kind: { name: "telegram" },
        settings: { token: TOKEN },
        allow: ["42", "7"],
        owners: [],
        pairing: true,
        busy: "queue",
        needsMention: true,
        streams: true,
        chats: {},
      },
    ]);
    expect(accounts[0]?.homeChat).toBeUndefined();
  });

  it("[GW-41] say everything that can be said", async () => {
    const { accounts } = await read({
      console: {
        allow: "a, b",
        owners: ["c"],
        pairing: false,
        busy: "steer",
        mention: false,
        stream: false,
        home: 12,
        chats: { "#x": { busy: "interrupt" }, "#y": { mention: false } },
      },
    });
    expect(accounts).toMatchObject([
      {
        allow: ["a", "b", "c"],
        owners: ["c"],
        pairing: false,
        busy: "steer",
        needsMention: false,
        streams: false,
        homeChat: "12",
        chats: { "#x": { busy: "interrupt" }, "#y": { needsMention: false } },
      },
    ]);
    expect(accounts[0]?.chats["#x"]).toEqual({ busy: "interrupt" });
  });

  it("[GW-41] with a mistake keep their own platform from starting, and no other", async () => {
    const result = await read({
      telegram: { allow: ["42"] },
      telegrm: {},
      discord: 5,
      irc: { host: "h", nick: "t", chanels: ["#x"], busy: "later" },
      console: null,
    });
    expect(result.accounts.map(({ kind }) => kind.name)).toEqual(["console"]);
    expect(texts(result)).toEqual([
      "platforms.telegram.token: the bot's token is missing; BotFather shows it",
      "platforms.telegrm: there is no such platform; did you mean telegram?",
      "platforms.discord: expected a group of settings, such as { token: … }",
      "platforms.irc.chanels is not a setting of IRC and does nothing; did you mean channels?",
      "platforms.irc.busy: expected queue, interrupt or steer",
    ]);
  });

  it("[GW-41] with a name nobody knows work without it, and say so", async () => {
    const result = await read({ irc: { host: "h", nick: "t", pots: 1 } });
    expect(result.accounts).toHaveLength(1);
    expect(result.problems).toMatchObject([{ key: "platforms.irc.pots", isRefusal: false }]);
  });

  it("[GW-41] name every variable that is missing, with the key that needs it", async () => {
    const result = await read(
      {
        slack: { bot_token: "${SLACK_BOT}", app_token: "${SLACK_APP}", allow: ["${WHO}"] },
        console: { allow: ["${WHO}"] },
      },
      { env: { WHO: "me" } },
    );
    expect(texts(result)).toEqual([
      "platforms.slack.bot_token needs the variable SLACK_BOT, and it is not set; put it into .env",
      "platforms.slack.app_token needs the variable SLACK_APP, and it is not set; put it into .env",
    ]);
    expect(result.accounts).toMatchObject([{ kind: { name: "console" }, allow: ["me"] }]);
  });

  it("[GW-41] can have several accounts, which share what stands beside them", async () => {
    const result = await read({
      telegram: {
        allow: ["42"],
        accounts: {
          main: { token: "1:aaaaaaaaaa" },
          work: { token: "2:bbbbbbbbbb", allow: ["7"] },
          "Not ok": {},
          off: { enabled: false },
        },
      },
      console: { enabled: false },
    });
    expect(result.accounts.map(({ name, allow }) => [name, allow])).toEqual([
      ["main", ["42"]],
      ["work", ["7"]],
    ]);
    expect(texts(result)).toEqual([
      "platforms.telegram.accounts.Not ok: expected a name of small letters, digits, _ and -",
    ]);
  });

  it("[GW-41] of one that calls us by HTTP need a port to be open for it, and of no other", async () => {
    const platforms = {
      webhook: { secret: "canary-of-a-webhook-0123" },
      telegram: { token: TOKEN, webhook: { url: "https://x.test/t", secret: "canary-of-a-door-0123" } },
      slack: { bot_token: "xoxb-canary-1", signing_secret: "canary-signing" },
      console: {},
    };
    const called = ["webhook", "telegram", "slack"];
    expect((await read(platforms)).accounts.map(({ kind }) => kind.name)).toEqual([...called, "console"]);
    const closed = await read(platforms, { port: 0 });
    expect(closed.accounts.map(({ kind }) => kind.name)).toEqual(["console"]);
    expect(closed.problems).toMatchObject(
      called.map((platform) => ({ platform, key: `platforms.${platform}`, isRefusal: true })),
    );
    for (const text of texts(closed)) expect(text).toContain("config set host.port");
    const calling = { telegram: { token: TOKEN }, slack: { bot_token: "xoxb-canary-1", app_token: "xapp-canary-1" } };
    expect(texts(await read(calling, { port: 0 }))).toEqual([]);
  });

  it.each([
    [{ owners: ["*"] }, /owners: expected ids of people/],
    [{ allow: [Number("123456789012345678901")] }, /allow: expected an id; write long numbers in quotes/],
    [{ allow: { a: 1 } }, /allow: expected a list of ids/],
    [{ pairing: "maybe" }, /pairing: expected true or false/],
    [{ reset: { mode: "weekly" } }, /reset\.mode: expected none, idle, daily or both/],
    [{ chats: { a: { busy: "x" } } }, /chats\.a\.busy: expected queue, interrupt or steer/],
  ])("[GW-41] refuse %j", async (wrong, words) => {
    const result = await read({ console: wrong });
    expect(result.accounts).toEqual([]);
    expect(texts(result)).toEqual([expect.stringMatching(words)]);
  });

  it("[GW-41] of resets go from the gateway over chat type and platform to the account, key by key", async () => {
    const reset = {
      ...GATEWAY.reset,
      mode: "idle",
      by_type: { group: { mode: "daily" }, dm: { idle_minutes: 5 } },
      by_platform: { console: { at_hour: 6 } },
    };
    const platforms = {
      console: { reset: { idle_minutes: 9, by_type: { thread: { mode: "both" } } } },
      irc: { host: "h", nick: "n" },
    };
    const { accounts } = await read(platforms, { gateway: { reset } });
    const [console, irc] = accounts;
    expect(irc?.resetPolicy("dm")).toEqual({ mode: "idle", idleMinutes: 5, atHour: 4 });
    expect(irc?.resetPolicy("group")).toEqual({ mode: "daily", idleMinutes: 1440, atHour: 4 });
    expect(console?.resetPolicy("group")).toEqual({ mode: "daily", idleMinutes: 9, atHour: 6 });
    expect(console?.resetPolicy("thread")).toEqual({ mode: "both", idleMinutes: 9, atHour: 6 });
  });
});

describe("secrets of platforms", () => {
  it("[GW-42] are known to redaction from the moment they are read, also when the platform is refused", async () => {
    const secrets = { S1: "canary-one-%/x", S2: "canary-two-zzz", S3: "canary-three-z" };
    const result = await read(
      {
        slack: { bot_token: "${S1}", app_token: ["${S2}"], nonsense: 1 },
        irc: { host: "irc.example.org", nick: "t", sasl: { account: "talaria", password: "${S3}" } },
      },
      { env: secrets },
    );
    for (const secret of Object.values(secrets)) {
      expect(redact(`GET https://x/${secret}/y`)).not.toContain(secret);
      expect(redact(`q=${encodeURIComponent(secret)}`)).not.toContain(encodeURIComponent(secret));
      expect(texts(result).join()).not.toContain(secret);
    }
    // The name beside a password is none.
    expect(redact("at ~/.talaria")).toBe("at ~/.talaria");
  });

  it.each(builtInPlatforms())("[GW-42] of %s are told by their names wherever settings are shown", async (name) => {
    const kind = await builtInPlatform(name);
    // A group is looked into: its parts have names of their own.
    const groups = ["webhook", "sasl"];
    const untold = (kind?.secrets ?? []).filter(
      (key) => !isSecretName(key) && !SECRET_PLATFORM_KEYS.includes(key) && !groups.includes(key),
    );
    expect(untold).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "./address.js";
import { destinationOf, MAIN_ACCOUNT, parseAccount, spellAccount } from "./address.js";
import {
  DEFAULT_KEY_RULES,
  formatSessionKey,
  isShared,
  parseSessionKey,
  type SessionKeyRules,
  sessionKey,
} from "./session-key.js";

type Case = readonly [name: string, address: Address, rules: Partial<SessionKeyRules>, key: string];

const forum = (userId: string): Address => ({
  platform: "telegram",
  chatType: "group",
  chatId: "-100",
  threadId: "5",
  userId,
});
const group: Address = { platform: "discord", chatType: "group", chatId: "111", userId: "9" };
const whatsapp = (chatId: string): Address => ({ platform: "whatsapp", chatType: "dm", chatId });

/** The reference's own examples, then the corners of its rules. */
const CASES: readonly Case[] = [
  ["a direct chat", { platform: "telegram", chatType: "dm", chatId: "42" }, {}, "agent:main:telegram:dm:42"],
  [
    "a topic in a direct chat",
    { platform: "telegram", chatType: "dm", chatId: "42", threadId: "7", userId: "9" },
    {},
    "agent:main:telegram:dm:42:7",
  ],
  ["a group, one conversation per person", group, {}, "agent:main:discord:group:111:9"],
  ["a group in common", group, { groupSessionsPerUser: false }, "agent:main:discord:group:111"],
  [
    "a thread",
    { platform: "discord", chatType: "thread", chatId: "222", threadId: "222", userId: "9" },
    {},
    "agent:main:discord:thread:222:222",
  ],
  ["a forum topic, shared", forum("A"), {}, "agent:main:telegram:group:-100:5"],
  ["a forum topic per person", forum("B"), { threadSessionsPerUser: true }, "agent:main:telegram:group:-100:5:B"],
  [
    "a thread per person, groups in common",
    forum("B"),
    { threadSessionsPerUser: true, groupSessionsPerUser: false },
    "agent:main:telegram:group:-100:5",
  ],
  [
    "a direct chat without an id, by the lasting identity",
    { platform: "signal", chatType: "dm", userId: "u", userIdAlt: "uuid" },
    {},
    "agent:main:signal:dm:uuid",
  ],
  ["a direct chat known by its person", { platform: "x", chatType: "dm", userId: "u" }, {}, "agent:main:x:dm:u"],
  ["a direct chat known by its thread", { platform: "x", chatType: "dm", threadId: "t" }, {}, "agent:main:x:dm:t"],
  ["a local terminal", { platform: "local", chatType: "dm" }, {}, "agent:main:local:dm"],
  ["a group whose speaker is unknown", { ...group, userId: "" }, {}, "agent:main:discord:group:111"],
  ["a group, by the lasting identity", { ...group, userIdAlt: "union" }, {}, "agent:main:discord:group:111:union"],
  ["an empty chat id is none", { platform: "x", chatType: "dm", chatId: "", userId: "u" }, {}, "agent:main:x:dm:u"],
  ["an empty lasting identity is none", { ...group, userIdAlt: "" }, {}, "agent:main:discord:group:111:9"],
  ["a WhatsApp number with device and domain", whatsapp("60123:47@s.whatsapp.net"), {}, "agent:main:whatsapp:dm:60123"],
  ["a WhatsApp number with a plus", whatsapp("+60123"), {}, "agent:main:whatsapp:dm:60123"],
  [
    "a WhatsApp person under the shortest alias",
    whatsapp("999888777@lid"),
    { whatsappAliases: (id) => (id === "999888777" ? ["60123@s.whatsapp.net", "60124"] : []) },
    "agent:main:whatsapp:dm:60123",
  ],
  [
    "a WhatsApp id with odd characters, not looked up",
    whatsapp("12/../3"),
    { whatsappAliases: () => ["1"] },
    "agent:main:whatsapp:dm:12/../3",
  ],
  [
    "a WhatsApp group keeps its own id",
    { platform: "whatsapp", chatType: "group", chatId: "1-2@g.us", userId: "+60123@s.whatsapp.net" },
    {},
    "agent:main:whatsapp:group:1-2@g.us:60123",
  ],
  [
    "a profile of its own",
    { platform: "slack", chatType: "dm", chatId: "D1", profile: "coder" },
    { multiplexProfiles: true },
    "agent:coder:slack:dm:D1",
  ],
  [
    "the active profile",
    { platform: "slack", chatType: "dm", chatId: "D1" },
    { multiplexProfiles: true, activeProfile: "coder" },
    "agent:coder:slack:dm:D1",
  ],
  [
    "the default profile",
    { platform: "slack", chatType: "dm", chatId: "D1", profile: "default" },
    { multiplexProfiles: true, activeProfile: "coder" },
    "agent:main:slack:dm:D1",
  ],
  [
    "an empty profile is none",
    { platform: "slack", chatType: "dm", chatId: "D1", profile: "" },
    { multiplexProfiles: true, activeProfile: "coder" },
    "agent:coder:slack:dm:D1",
  ],
  [
    "profiles that do not share platforms",
    { platform: "slack", chatType: "dm", chatId: "D1", profile: "coder" },
    {},
    "agent:main:slack:dm:D1",
  ],
  [
    "[RI-19] a Matrix room, its colon kept apart",
    { platform: "matrix", chatType: "group", chatId: "!r:example.org", userId: "@u:example.org" },
    {},
    "agent:main:matrix:group:!r%3Aexample.org:@u%3Aexample.org",
  ],
  [
    "[GW-23] the main account, spelled like no account",
    { platform: "irc", account: "main", chatType: "channel", chatId: "#ops", userId: "ada" },
    {},
    "agent:main:irc:channel:#ops:ada",
  ],
  ["[GW-23] an account without a name", { ...group, account: "" }, {}, "agent:main:discord:group:111:9"],
  [
    "[GW-23] another account",
    { platform: "irc", account: "libera", chatType: "channel", chatId: "#ops", userId: "ada" },
    {},
    "agent:main:irc@libera:channel:#ops:ada",
  ],
  [
    "[GW-23] an account and a platform with odd characters",
    { platform: "a@b", account: "c:d@100%", chatType: "dm", chatId: "e@f" },
    {},
    "agent:main:a%40b@c%3Ad%40100%25:dm:e@f",
  ],
];

/** Every character that means something in a key, and some that do not. */
const ODD = fc.string({ unit: fc.constantFrom(..."a%:@/\\2503A4.é漢\u{1f600}\n") });
const NAME = ODD.filter((text) => text !== "");
const ACCOUNT = fc.oneof(fc.constant(MAIN_ACCOUNT), NAME);

describe("a session key", () => {
  it.each(CASES)("%s", (_, address, rules, key) => {
    expect(sessionKey(address, { ...DEFAULT_KEY_RULES, ...rules })).toBe(key);
    expect(formatSessionKey(parseSessionKey(key) ?? raise(key))).toBe(key);
  });

  it("[RI-19] survives a round trip whatever its segments hold", () => {
    const rest = fc.array(ODD, { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.record({ namespace: NAME, platform: NAME, account: ACCOUNT, chatType: NAME, rest }),
        (parts) => void expect(parseSessionKey(formatSessionKey(parts))).toEqual(parts),
      ),
    );
  });

  it("[GW-23] gives back the account it was built for, and two accounts never share one", () => {
    const place = fc.record({ platform: NAME, chatType: NAME, chatId: ODD, threadId: ODD, userId: ODD });
    fc.assert(
      fc.property(place, ACCOUNT, ACCOUNT, (there, one, other) => {
        const key = sessionKey({ ...there, account: one });
        expect(parseSessionKey(key)).toMatchObject({ platform: there.platform, account: one });
        expect(sessionKey({ ...there, account: other }) === key).toBe(one === other);
        if (one === MAIN_ACCOUNT) expect(key).toBe(sessionKey(there));
      }),
    );
  });

  it("[RI-19] is never shared by two places", () => {
    const segment = fc.string({ unit: fc.constantFrom(..."a:%"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 3 }), fc.array(segment, { maxLength: 3 }), (one, other) => {
        const key = (rest: string[]): string =>
          formatSessionKey({ namespace: "main", platform: "x", account: MAIN_ACCOUNT, chatType: "dm", rest });
        expect(key(one) === key(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it.each([
    "",
    "agent",
    "agent:main",
    "agent:main:x",
    "other:main:x:dm:1",
    "agent::x:dm",
    "agent:main::dm",
    "agent:main:x@:dm",
    "agent:main:@y:dm",
    "agent:main:x@y@z:dm",
  ])("is not what %j is", (text) => {
    expect(parseSessionKey(text)).toBeUndefined();
  });

  it("tells a shared conversation from one person's", () => {
    const common = { ...DEFAULT_KEY_RULES, groupSessionsPerUser: false };
    expect(isShared(group)).toBe(false);
    expect(isShared(group, common)).toBe(true);
    expect(isShared(forum("A"))).toBe(true);
    expect(isShared(forum("A"), { ...DEFAULT_KEY_RULES, threadSessionsPerUser: true })).toBe(false);
    expect(isShared({ platform: "x", chatType: "dm" }, common)).toBe(false);
  });
});

describe("an account", () => {
  it("[GW-23] is spelled with its name unless it is the main one, and read back", () => {
    expect(spellAccount({ platform: "irc", account: "main" })).toBe("irc");
    expect(spellAccount({ platform: "irc", account: "oftc" })).toBe("irc@oftc");
    expect(parseAccount("irc@main")).toEqual({ platform: "irc", account: "main" });
    fc.assert(
      fc.property(NAME, ACCOUNT, (platform, account) => {
        expect(parseAccount(spellAccount({ platform, account }))).toEqual({ platform, account });
      }),
    );
  });
});

describe("a destination", () => {
  it("is one line for a chat and thread, and another for each other one", () => {
    const places: Address[] = [
      { platform: "x", chatType: "dm", chatId: "1" },
      { platform: "x", chatType: "dm", chatId: "1", threadId: "2" },
      { platform: "x", chatType: "dm", chatId: "1/2" },
      { platform: "x", chatType: "dm", account: "1", chatId: "" },
      { platform: "x", account: "b", chatType: "dm", chatId: "1" },
      { platform: "y", chatType: "dm", chatId: "1" },
    ];
    expect(new Set(places.map(destinationOf)).size).toBe(places.length);
    expect(destinationOf({ platform: "x", chatType: "group", chatId: "1" })).toBe(
      destinationOf(places[0] ?? raise("")),
    );
  });

  it("is the person where a chat has no id of its own", () => {
    expect(destinationOf({ platform: "x", chatType: "dm", userId: "u", userIdAlt: "alt" })).toBe("x//alt/");
    expect(destinationOf({ platform: "x", chatType: "dm", userId: "u" })).toBe("x//u/");
    expect(destinationOf({ platform: "x", chatType: "dm", chatId: "", userIdAlt: "", userId: "u" })).toBe("x//u/");
  });
});

function raise(what: string): never {
  throw new Error(`no parts: ${what}`);
}

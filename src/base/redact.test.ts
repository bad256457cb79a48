import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.js";
import { isSecretName, REDACTED, redact, redactValue } from "./redact.js";

/** Put together here, so that no scanner takes this file for a leak. */
const made = (prefix: string, length: number, alphabet = "aB3dE5gH7jK9mN"): string =>
  prefix + alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);

const SECRETS: readonly (readonly [string, string])[] = [
  ["OpenAI key", made("sk-", 48)],
  ["OpenAI project key", made("sk-proj-", 60)],
  ["Anthropic key", made("sk-ant-api03-", 80)],
  ["OpenRouter key", made("sk-or-v1-", 64)],
  ["Stripe key", made("sk_live_", 24)],
  ["GitHub token", made("ghp_", 36)],
  ["GitHub app token", made("ghs_", 36)],
  ["GitHub fine-grained token", made("github_pat_", 60)],
  ["GitLab token", made("glpat-", 20)],
  ["npm token", made("npm_", 36)],
  ["Hugging Face token", made("hf_", 34)],
  ["Google key", made("AIza", 35)],
  ["Slack bot token", made("xoxb-", 40, "1234567890-aB")],
  ["Slack app token", made("xapp-", 40, "1-A0-")],
  ["AWS key id", made("AKIA", 16, "ABCDEFGH23456789")],
  ["Telegram bot token", made("123456789:AA", 33)],
  ["JSON web token", `${made("eyJ", 30)}.${made("eyJ", 60)}.${made("", 43)}`],
  ["Discord token", `${made("M", 25)}.${made("", 6)}.${made("", 38)}`],
];

describe("redact", () => {
  it.each(SECRETS)("takes out a %s wherever it stands", (_name, secret) => {
    for (const text of [secret, `key ${secret}.`, `"${secret}"`, `(${secret})`, `a=${secret}&b=1`, `${secret}\nnext`]) {
      expect(redact(text)).not.toContain(secret.slice(6, 20));
      expect(redact(text)).toContain(REDACTED);
    }
  });

  it.each([
    ["password=hunter22", `password=${REDACTED}`],
    ["PASSWORD: hunter22", `PASSWORD: ${REDACTED}`],
    ['"password": "correct horse battery"', `"password": "${REDACTED}"`],
    ["'api_key': 'abc def'", `'api_key': '${REDACTED}'`],
    ['"token":"ab\\"cd efgh"', `"token":"${REDACTED}"`],
    ['{\\"api_key\\":\\"abcdefgh\\",\\"n\\":1}', `{\\"api_key\\":\\"${REDACTED}\\",\\"n\\":1}`],
    ["TELEGRAM_BOT_TOKEN=abcdef", `TELEGRAM_BOT_TOKEN=${REDACTED}`],
    ["https://me:secret@example.org/x", `https://me:${REDACTED}@example.org/x`],
    ["postgres://:secret@db", `postgres://:${REDACTED}@db`],
    ["Authorization: Basic dXNlcjpwYXNz", `Authorization: ${REDACTED}`],
    [`curl -H "Authorization: Bearer ${made("", 30)}"`, `curl -H "Authorization: ${REDACTED}"`],
    [`bearer ${made("", 30)} ok`, `bearer ${REDACTED} ok`],
    ["Set-Cookie: sid=abcdef; Path=/", `Set-Cookie: ${REDACTED}`],
    [`https://api.telegram.org/bot${made("123456789:AA", 33)}/getMe`, `https://api.telegram.org/bot${REDACTED}/getMe`],
  ])("redacts %s", (text, expected) => expect(redact(text)).toBe(expected));

  it("takes out private keys, also one that was cut off", () => {
    const begin = "-----BEGIN RSA PRIVATE KEY-----";
    const end = "-----END RSA PRIVATE KEY-----";
    expect(redact(`a\n${begin}\nMIIE\n${end}\nb`)).toBe(`a\n${REDACTED}\nb`);
    expect(redact(`a ${begin} MIIE`)).toBe(`a ${REDACTED}`);
    expect(redact(`${begin}x${end} and ${begin}y${end}!`)).toBe(`${REDACTED} and ${REDACTED}!`);
    expect(redact("-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----")).toContain("abc");
  });

  it.each([
    "the task-force met in a risk-averse mood",
    "tokens: 512, max_tokens=4096",
    "a basic understanding of bearer bonds",
    "see https://example.org:8080/path@2",
    "12:30 and 10.0.0.1:5432",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "the secret is to begin early",
    "skeleton-of-a-sentence-that-goes-on",
  ])("leaves ordinary text alone: %s", (text) => expect(redact(text)).toBe(text));

  it("changes nothing the second time", () => {
    for (const [, secret] of SECRETS)
      expect(redact(redact(`x=${secret} token=${secret}`))).toBe(redact(`x=${secret} token=${secret}`));
  });

  it("takes time that grows with the length alone, whatever is written", () => {
    const pieces = [
      "a",
      " ",
      "sk-",
      "sk_",
      "eyJ",
      "eyJa.",
      "eyJaaaaaaaa.",
      "://",
      "://a:",
      "a:",
      "1",
      "12345678:",
      "password=",
      'password="',
      "password: ",
      'token":"\\',
      "Bearer ",
      "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN ",
      "Authorization: ",
      "M.",
      "AKIA",
      "github_pat_",
      'token=\\"',
      "cookie:",
      "Ma.bbbbbb.",
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      expect(
        cpuMs(() => redact(text)),
        JSON.stringify(piece),
      ).toBeLessThan(2_000);
    }
  });
});

describe("redactValue", () => {
  it("goes into objects and lists, and trusts the names of keys", () => {
    const secret = made("sk-", 40);
    expect(
      redactValue({ list: [`use ${secret}`], apiKey: "short", count: 3, none: null, deep: { password: "x" } }),
    ).toEqual({
      list: [`use ${REDACTED}`],
      apiKey: REDACTED,
      count: 3,
      none: null,
      deep: { password: REDACTED },
    });
  });

  it("shows the names of headers and the variables they come from, never a value", () => {
    const headers = { "X-Team": "blue-42", "X-Key": "$" + "{MY_KEY}", "X-Both": "a $" + "{MY_KEY}" };
    expect(redactValue({ model: { headers } })).toEqual({
      model: { headers: { "X-Team": REDACTED, "X-Key": "$" + "{MY_KEY}", "X-Both": REDACTED } },
    });
  });

  it("ends at a bounded depth, also in a circle", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(JSON.stringify(redactValue(circle))).toContain(REDACTED);
  });

  it.each([
    ["OPENAI_API_KEY", true],
    ["botToken", true],
    ["x-api-key", true],
    ["GH_PAT", true],
    ["NPM_CONFIG__AUTH", true],
    ["path", false],
    ["OAUTH", false],
    ["password", true],
    ["max_tokens", false],
    ["keep", false],
    ["monkey", false],
  ])("knows whether %s is the name of a secret", (name, expected) => expect(isSecretName(name)).toBe(expected));
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "#base/redact.js";
import { mask, maskedSlice, unmaskedOffset, unveil } from "./masked-text.js";

const KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----";
const SECRETS = [
  `api_key: "sk-abcdefghijklmnop0123"`,
  `{"token": "abc def", "name": "x"}`,
  "postgres://me:hunter22@db/x",
  "Authorization: Basic dXNlcjpwYXNz",
  "A_TOKEN=one-two-three; B_SECRET=four-five-six",
  "curl -H 'Authorization: Bearer abcdefghijklmnop1234' ghp_abcdefghijklmnopqrstuv",
  KEY,
];

describe("mask", () => {
  it.each(SECRETS)("shows %j as a request does, and finds the way back", (secret) => {
    const text = `before\n${secret}\nafter [redacted]\n`;
    const masked = mask(text);
    expect(masked.text).toBe(redact(text));
    expect(masked.text).not.toBe(text);
    expect(unveil(masked.text, masked)).toEqual({ kind: "text", text });
    expect(unmaskedOffset(masked, masked.text.length)).toBe(text.length);
    expect(unmaskedOffset(masked, 7)).toBe(7);
  });

  it("comes back whole from any mixture", () => {
    const piece = fc.oneof(fc.constantFrom(...SECRETS, "[redacted]", "\n", "x = 1\n"), fc.string({ maxLength: 8 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("\n");
        const masked = mask(text);
        const back = unveil(masked.text, masked);
        expect(back).toEqual({ kind: "text", text });
      }),
    );
  });
});

describe("unveil", () => {
  const masked = mask("A_TOKEN=one-two-three\nB_TOKEN=four-five-six\n");

  it("tells secrets by what stands before them, in any order", () => {
    expect(unveil("  B_TOKEN=[redacted]\n", masked)).toEqual({ kind: "text", text: "  B_TOKEN=four-five-six\n" });
    expect(unveil("B_TOKEN=[redacted]\nnew\nA_TOKEN=[redacted]", masked)).toEqual({
      kind: "text",
      text: "B_TOKEN=four-five-six\nnew\nA_TOKEN=one-two-three",
    });
  });

  it("tells them by their order when there are as many", () => {
    expect(unveil("first: [redacted]\nsecond: [redacted]", masked)).toEqual({
      kind: "text",
      text: "first: one-two-three\nsecond: four-five-six",
    });
  });

  it("does not guess", () => {
    expect(unveil("C_TOKEN=[redacted]", masked)).toEqual({ kind: "unclear" });
    expect(unveil("[redacted] [redacted] [redacted]", masked)).toEqual({ kind: "unclear" });
  });

  it("knows only what lies in its slice", () => {
    const slice = maskedSlice(masked, 0, masked.text.indexOf("\n"));
    expect(slice.veils.map(({ original }) => original)).toEqual(["one-two-three"]);
  });
});

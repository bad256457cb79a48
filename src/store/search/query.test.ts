import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loosened, parseQuery, QUERY_TERMS_MAX, type Query, type Term } from "./query.js";

/** A query as short text: groups by `|`, terms by `&`, `!` what is left out, `+` between tokens, `*`, `~`. */
function shown(query: Query): string {
  return query
    .map(({ all, none }) => [...all.map(term), ...none.map((one) => `!${term(one)}`)].join(" & "))
    .join(" | ");
}

function term(one: Term): string {
  if (one.kind === "substring") return `~${one.text}`;
  return one.phrases.map(({ tokens, isPrefix }) => tokens.join("+") + (isPrefix ? "*" : "")).join("&") || "(nothing)";
}

describe("the query language", () => {
  it.each([
    ["red", "red"],
    ["red blue", "red & blue"],
    ["red AND blue", "red & blue"],
    ["red and blue", "red & and & blue"],
    ['"red blue"', "red+blue"],
    ["“red blue”", "red+blue"],
    ["red OR blue", "red | blue"],
    ["red green OR blue", "red & green | blue"],
    ["red -blue", "red & !blue"],
    ["red NOT blue", "red & !blue"],
    ['red -"dark blue"', "red & !dark+blue"],
    ["red OR green -blue", "red | green & !blue"],
    ["tele*", "tele*"],
    ["te*", "te"],
    ['"foo bar*"', "foo+bar*"],
    ["東京*", "東京"],
    ["~lue", "~lue"],
    ['~"d b"', "~d b"],
    ["~lu", "lu"],
    ["~東京都", "東京+京都"],
    ["-~lue red", "red & !~lue"],
    ["foo-bar.txt", "foo+bar+txt"],
    ["--verbose", "verbose"],
    ["- red", "(nothing) & red"],
    ["hello世界", "hello+世界"],
    ["a東b", "a&東&b"],
    ["(red OR blue)", "red | blue"],
    ["red:blue^2", "red+blue+2"],
    ["constructor toString __proto__", "constructor & tostring & proto"],
    ['"unbalanced red', "unbalanced & red"],
    ['red "', "red"],
    ["OR red", "red"],
    ["red OR", "red"],
    ["NOT NOT red blue", "blue & !red"],
    ["OR OR OR", ""],
    ["-red", ""],
    ["NOT", ""],
    ["", ""],
    ["   \n\t ", ""],
    ["!!!", "(nothing)"],
    ["Red RED", "red & red"],
    ["🎉", "🎉"],
  ])("[SR-2] reads %j as %j", (text, expected) => {
    expect(shown(parseQuery(text))).toBe(expected);
  });

  it.each([
    ["redd", "~redd"],
    ["redd bl", "~redd & bl"],
    ['"redd blu"', "~redd blu"],
    ["redd -blue", "~redd & !blue"],
    ["tele*", "~tele"],
    ["re OR bl", ""],
    ["東京都", ""],
    ["!!!", "~!!!"],
  ])("[SR-2] looks for %j as the substrings %j", (text, expected) => {
    expect(shown(loosened(parseQuery(text)))).toBe(expected);
  });

  it("[SR-1] understands any text, in bounded size", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (text) => {
        const terms = parseQuery(text).flatMap(({ all, none }) => [...all, ...none]);
        expect(terms.length).toBeLessThanOrEqual(QUERY_TERMS_MAX);
      }),
    );
  });
});

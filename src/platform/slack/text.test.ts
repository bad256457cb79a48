import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText } from "./mrkdwn.js";
import { fromMrkdwn, mentions } from "./text.js";

const reader = { selfId: "U0ME", nameOf: (id: string) => (id === "U0BOB" ? "bob" : undefined) };

const CASES: Readonly<Record<string, [told: string, heard: string]>> = {
  entities: ["1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"],
  "an entity that was typed": ["&amp;lt;", "&lt;"],
  "our mention in front": ["<@U0ME>: what is up?", "what is up?"],
  "our mention twice": ["<@U0ME> <@U0ME|talaria> hi", "hi"],
  "our mention inside": ["tell me, <@U0ME>, now", "tell me,, now"],
  "our mention alone": ["<@U0ME>", ""],
  "somebody we know": ["ask <@U0BOB>", "ask @bob"],
  "somebody with a label": ["ask <@U0EVE|eve>", "ask @eve"],
  "somebody we do not know": ["ask <@U0EVE>", "ask @U0EVE"],
  "a channel": ["in <#C0TEAM|team> or <#C0X>", "in #team or #C0X"],
  "a call to all": ["<!here> <!channel|channel> <!subteam^S1|@ops>", "@here @channel @ops"],
  "a date": ["<!date^1392734382^{date}|Feb 18>", "Feb 18"],
  "a link with a label": ["<https://a.example/?a=1&amp;b=2|here>", "[here](https://a.example/?a=1&b=2)"],
  "a bare link": ["<https://a.example/>", "https://a.example/"],
  "a name taken for a link": ["<http://a.example|a.example> <mailto:a@b.example|a@b.example>", "a.example a@b.example"],
  "an angle that is no tag": ["&lt;b&gt;", "<b>"],
  NUL: ["a\u0000b\ud83d", "ab\ufffd"],
};

describe("Slack's text is read as a person would", () => {
  for (const [name, [told, heard]] of Object.entries(CASES))
    it(name, () => {
      expect(fromMrkdwn(told, reader)).toBe(heard);
    });

  it("as it was typed, whatever that is", () => {
    const typed = fc.string({ unit: "binary" }).filter((text) => text.isWellFormed() && !text.includes("\0"));
    fc.assert(fc.property(typed, (text) => void expect(fromMrkdwn(escapeText(text), reader)).toBe(text)));
  });
});

describe("a mention", () => {
  it("is ours alone", () => {
    expect(mentions("a <@U0ME> b", "U0ME")).toBe(true);
    expect(mentions("a <@U0ME|x> b", "U0ME")).toBe(true);
    expect(mentions("a <@U0MERE> U0ME &lt;@U0ME&gt;", "U0ME")).toBe(false);
  });
});

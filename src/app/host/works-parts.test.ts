import { describe, expect, it } from "vitest";
import type { ConversationId, InputId, SessionId } from "#base/ids.js";
import type { Admission } from "#session/input.js";
import { owesNotice } from "./works-parts.js";

const input = "i" as InputId;
const conversation = "c" as ConversationId;
const admitted = { kind: "admitted", input, conversation, session: "s" as SessionId } as Extract<
  Admission,
  { kind: "admitted" }
>;

describe("a message that was stored", () => {
  it.each<[string, boolean, Admission]>([
    ["owes nothing until it is answered", false, admitted],
    ["owes nothing a second time", false, { kind: "duplicate", input, conversation, phase: "taken" }],
    ["[CT-9] owes a word where its chat was set aside", true, { kind: "suspended", input, conversation }],
    ["[GW-20] owes the word about a reset", true, { ...admitted, resetFrom: { conversation, reason: "idle" } }],
  ])("%s", (_, isOwing, admission) => {
    expect(owesNotice(admission)).toBe(isOwing);
  });
});

/** `/pair CODE`: lets somebody in who was shown a code; alone it shows who waits. */
import { formatSpan } from "#base/span.js";
import { spellAccount } from "#session/address.js";
import { isCode, NO_CODE } from "#session/pairing.js";
import type { PairingStanding, PendingPairing } from "#session/verbs/chat.js";
import { type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { counted, oneLine, rowsFor } from "../text.js";

const SHOWN_MAX = 20;
const MINUTE_MS = 60_000;

export const pairCommand: SlashCommand = {
  name: "pair",
  aliases: [],
  category: "Configuration",
  takes: "[code] [owner]",
  arguments: "none",
  summary: "let somebody in by their code, or see who waits",
  details: ["With the word owner behind the code they may everything that you may."],
  where: ["terminal", "chat"],
  who: "owner",
  whileBusy: true,
  async run(context, words) {
    const [code, role, ...more] = words.split(/\s+/);
    if (code === undefined || code === "") return waiting(context);
    if (more.length > 0 || (role !== undefined && role !== "owner"))
      return said("/pair takes a code, and perhaps owner.");
    if (!isCode(code)) return said(`That is no code: ${NO_CODE}.`);
    return approve(context, code, role === undefined ? "member" : "owner");
  },
};

async function approve(context: SlashContext, code: string, role: "owner" | "member"): Promise<SlashOutcome> {
  const { store, clock, actor, person } = context;
  const nowMs = clock.nowMs();
  const by = `${actor.platform}:${person.id}`;
  const outcome = await store.approvePairing({ code, role, by, nowMs });
  switch (outcome.kind) {
    case "approved": {
      const who = `${outcome.name === null ? "" : `${oneLine(outcome.name)}, `}${spellAccount(outcome)}:${outcome.sender}`;
      return said(`${who} is in${role === "owner" ? " as an owner" : ""}, and is told.`);
    }
    case "expired":
      return said("That code is too old; they get a new one with their next message.");
    case "locked":
      return said(`Too many wrong codes. None is taken for ${formatSpan(outcome.untilMs - nowMs)}.`);
    case "unknown":
      return said(`No such code is out. ${leftText(outcome.triesLeft)}`);
  }
}

function leftText(triesLeft: number): string {
  return triesLeft === 0
    ? "None is taken for an hour now."
    : `${counted(triesLeft, "more try", "more tries")} before a pause of an hour.`;
}

async function waiting(context: SlashContext): Promise<SlashOutcome> {
  const { store, clock } = context;
  const standing: PairingStanding = await store.pairings({ limit: SHOWN_MAX, nowMs: clock.nowMs() });
  if (standing.pending.length === 0) return said("Nobody waits to be let in.");
  const row = ({ sender, name, expiresMs, ...account }: PendingPairing): readonly string[] => [
    oneLine(`${spellAccount(account)}:${sender}`),
    name === null ? "" : oneLine(name),
    `for ${Math.max(1, Math.ceil((expiresMs - clock.nowMs()) / MINUTE_MS))} more minutes`,
  ];
  return said(rowsFor(context, standing.pending.map(row)), "They were shown a code: /pair CODE lets them in.");
}

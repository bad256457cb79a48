/**
 * Pairing: how somebody whom nobody let in yet comes to be let in. A stranger in a direct chat is shown a code, once; the
 * owner of the home approves it. What both are told stands here, since the store owes it with the act itself.
 */
export const PAIRING_CODE_CHARS = 8;
/** Nothing in it looks like something else: no I, O, 0 or 1. */
export const PAIRING_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
export const PAIRING_VALID_MS = 3_600_000;
/** At once, on one account of ours; nothing is said to further strangers. */
export const PAIRINGS_PENDING_MAX = 3;
/** Wrong codes within PAIRING_VALID_MS, of all approvers together; then none is taken for as long. */
export const PAIRING_FAILURES_MAX = 5;

/** As people type it: in small letters, with spaces or a dash. */
export function cleanCode(text: string): string {
  return text
    .slice(0, PAIRING_CODE_CHARS * 4)
    .replace(/[\s-]/g, "")
    .toUpperCase();
}

/** What is none by its looks is a slip of the hand: it is told so, and guessed nothing. */
export function isCode(text: string): boolean {
  const code = cleanCode(text);
  return code.length === PAIRING_CODE_CHARS && [...code].every((letter) => PAIRING_ALPHABET.includes(letter));
}

export const NO_CODE = `a code has ${PAIRING_CODE_CHARS} letters and digits, and never I, O, 0 or 1`;

export function pairingText(code: string): string {
  return (
    "I do not know you yet, so I do not answer you.\n\n" +
    `Your pairing code: ${code}\n\n` +
    "The owner of this Talaria lets you in with it, within an hour."
  );
}

export function welcomeText(role: "owner" | "member"): string {
  return role === "owner"
    ? "You are in, as an owner of this home. Say something, or /help shows what can be typed."
    : "You are in. Say something, or /help shows what can be typed.";
}

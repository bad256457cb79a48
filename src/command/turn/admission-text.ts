/** What a person is told when something they said by a command was not taken. */
import { type Admission, INPUT_CHARS_MAX } from "#session/input.js";
import { count } from "../text.js";

/** Undefined: it is stored. */
export function notTakenText(admission: Admission): string | undefined {
  switch (admission.kind) {
    case "admitted":
    case "duplicate":
      return undefined;
    case "suspended":
      return "This chat was set aside after repeated crashes: /new begins another, /resume goes back.";
    case "rejected":
      return REJECTED[admission.reason];
  }
}

const REJECTED: Readonly<Record<Extract<Admission, { kind: "rejected" }>["reason"], string>> = {
  empty: "There is nothing in it.",
  "too-long": `It is longer than ${count(INPUT_CHARS_MAX)} characters, so it was not taken.`,
  "unknown-conversation": "This conversation is not known here.",
  deleted: "This conversation was deleted.",
};

/**
 * The door in front of a host's live side. While it is shut nothing new is taken and nothing is begun, and whoever
 * tries is told why [CT-8]; looking, watching, answering for the past and interrupting go on. It is shut in safe mode
 * and while the host stops.
 */
import { OperationalError } from "#base/errors.js";
import type { Live } from "#runtime/live/port.js";

export interface IntakeGate {
  readonly live: Live;
  /** Why nothing is taken, or undefined. */
  refusal(): OperationalError | undefined;
  shut(why: OperationalError): void;
  open(): void;
}

export function createIntakeGate(live: Live): IntakeGate {
  let refusal: OperationalError | undefined;
  const taking = async <T>(act: () => Promise<T>): Promise<T> => {
    if (refusal !== undefined) throw refusal;
    return act();
  };
  return {
    live: {
      ...live,
      say: (inbound) => taking(() => live.say(inbound)),
      answer: (conversation, answer) => taking(() => live.answer(conversation, answer)),
      compact: (conversation, options) => taking(() => live.compact(conversation, options)),
      wake(conversation, isAsked) {
        if (refusal === undefined) live.wake(conversation, isAsked);
      },
      recover: async () => (refusal === undefined ? live.recover() : { woken: 0, waiting: 0 }),
    },
    refusal: () => refusal,
    shut(why) {
      refusal = why;
    },
    open() {
      refusal = undefined;
    },
  };
}

export function stoppingRefusal(): OperationalError {
  return new OperationalError(
    "host-stopping",
    "after-delay",
    "the host is stopping and takes nothing more; nothing was stored. Try again in a moment.",
  );
}

export function safeModeRefusal(crashes: number, untilMs: number): OperationalError {
  return new OperationalError(
    "safe-mode",
    "after-delay",
    `the host crashed ${crashes} times within a few minutes and runs no turns until ${clockTime(untilMs)}; ` +
      "nothing was stored. `talaria logs` may tell why; `talaria host restart --reset` tries again at once.",
  );
}

/** As a clock on the wall shows it: safe mode lasts minutes. */
function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

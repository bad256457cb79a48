/** What both halves of a host share, made once: the store that pokes hooks, the settings, the models, the processes. */
import { homedir } from "node:os";
import { randomIds } from "#base/ids.js";
import { pokingStore } from "#hook/poking-store.js";
import type { Admission } from "#session/input.js";
import type { WritingVerb } from "#session/store.js";
import { createProcesses } from "#tool/terminal/processes.js";
import type { Extensions } from "./extensions.js";
import type { WorksParts } from "./make-server.js";
import type { OpenedHome } from "./open-home.js";
import { createHostModels } from "./ports/models.js";
import { createSettings } from "./ports/settings.js";
import type { HostWish } from "./start-host.js";

/** Verbs after which somebody may be owed a message. */
const OWING: readonly WritingVerb[] = [
  "settle",
  "oweDelivery",
  "askApproval",
  "admit",
  "recoverOutbox",
  "offerPairing",
  "approvePairing",
  "finishCommand",
  "tellJob",
];

/** Most messages owe nothing yet: their answer does. */
export function owesNotice(admission: Admission): boolean {
  return admission.kind === "suspended" || (admission.kind === "admitted" && admission.resetFrom !== undefined);
}

export interface Pokes {
  /** A message may be due. */
  deliveries(): void;
}

export function makeParts(wish: HostWish, opened: OpenedHome, extensions: Extensions, pokes: Pokes): WorksParts {
  const { home, clock, env } = wish;
  const settings = createSettings(home, env, wish.config);
  return {
    wish,
    opened,
    extensions,
    settings,
    store: pokingStore(
      pokingStore(opened.store, () => extensions.poke()),
      () => pokes.deliveries(),
      OWING,
      (verb, result) => verb !== "admit" || owesNotice(result as Admission),
    ),
    models: createHostModels({ settings, env, clock, home }),
    processes: createProcesses({ clock, newId: randomIds }),
    cwd: homedir(),
  };
}

/** Who may step into a turn, told which turn that is. Nobody, where no hooks were opened. */
import { type Interceptors, NO_INTERCEPTORS } from "#agent/interceptors.js";
import type { SessionId } from "#base/ids.js";
import type { Engine } from "./engine.js";
import type { TurnModels } from "./parts.js";
import type { ClaimedRun } from "./run-claimed.js";

export function interceptorsOf(
  engine: Engine,
  { claimed, face, signal }: ClaimedRun,
  at: { session(): SessionId; readonly cwd: string; readonly models: TurnModels },
): Interceptors {
  const { conversation, turn, address } = claimed;
  const senderId = address?.userIdAlt ?? address?.userId ?? null;
  const about = { conversation, turn, session: at.session, cwd: at.cwd, signal, senderId };
  const model = at.models.main[0].label;
  return engine.interceptors?.({ ...about, model, platform: face.platform }) ?? NO_INTERCEPTORS;
}
